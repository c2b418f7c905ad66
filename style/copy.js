// Copies a text. Browsers have a clipboard only for pages of https and of this machine. Elsewhere the text is selected and
// copied as if by hand; where that is forbidden as well, it stays selected for whoever presses the keys.
'use strict';
window.copyText = async (text, button) => {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    // There is no clipboard here, or this page may not use it.
  }
  button.parentNode.querySelector('textarea')?.remove();
  const area = document.createElement('textarea');
  area.className = 'to-copy';
  area.readOnly = true;
  area.value = text;
  area.setAttribute('aria-label', 'Text to copy');
  const before = document.activeElement;
  button.after(area);
  area.select();
  if (document.execCommand('copy')) {
    before?.focus({ preventScroll: true });
    area.remove();
    return 'Copied';
  }
  area.addEventListener('blur', () => area.remove());
  return navigator.platform.startsWith('Mac') ? 'Press \u2318C' : 'Press Ctrl+C';
};
