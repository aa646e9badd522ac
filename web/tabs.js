// A row of tabs: clicks, arrow keys, and only the chosen one on the Tab key's way.

// show(tab) shows what belongs to it.
export function watchTabs(tabs, show) {
  const choose = (tab) => {
    for (const other of tabs) {
      other.setAttribute('aria-selected', String(other === tab));
      other.tabIndex = other === tab ? 0 : -1;
    }
    show(tab);
  };
  tabs.forEach((tab, i) => {
    tab.addEventListener('click', () => choose(tab));
    tab.addEventListener('keydown', (event) => {
      const at = {ArrowRight: i + 1, ArrowLeft: i - 1, Home: 0, End: -1}[event.key];
      if (at === undefined) return;
      const next = tabs[(at + tabs.length) % tabs.length];
      event.preventDefault(); // the page would scroll to its beginning or end
      choose(next);
      next.focus();
    });
  });
}
