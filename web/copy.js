// A button that copies says whether it did.

export async function copyText(text, button) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Select it and press Ctrl+C';
  }
  setTimeout(() => { button.textContent = label; }, 1500);
}
