// A file with speech: chosen, or dropped anywhere on its tab, for one that misses its place would replace the page.

const byId = (id) => document.getElementById(id);

// take(file) is called for each.
export function watchFiles(panel, take) {
  const mark = (isOver) => panel.classList.toggle('drop', isOver);
  byId('listen-choose').addEventListener('click', () => byId('listen-file').click());
  byId('listen-file').addEventListener('change', () => {
    const [file] = byId('listen-file').files;
    if (file) take(file);
    byId('listen-file').value = ''; // the same file may be chosen again
  });
  document.addEventListener('dragover', (event) => {
    if (panel.hidden || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    mark(true);
  });
  document.addEventListener('dragleave', (event) => event.relatedTarget === null && mark(false));
  document.addEventListener('drop', (event) => {
    const [file] = event.dataTransfer.files;
    if (panel.hidden || !file) return;
    event.preventDefault();
    mark(false);
    take(file);
  });
}
