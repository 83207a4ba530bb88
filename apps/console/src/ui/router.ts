import { signal } from '@preact/signals';
import { PREFIX } from '../api/client.js';

/** All addresses of the console begin with it. */
export const BASE = `${PREFIX}/@account`;

/** The address within the console, such as `/keys`, and its query. */
export const address = signal(read());

function read(): Readonly<{ path: string; query: URLSearchParams }> {
  const { pathname, search } = window.location;
  return { path: pathname.slice(BASE.length).replace(/\/$/, '') || '/', query: new URLSearchParams(search) };
}

export function navigate(path: string, how: 'push' | 'replace' = 'push'): void {
  window.history[`${how}State`](null, '', `${BASE}${path}`);
  address.value = read();
}

/** Changes the query of the present address, so that filters can be bookmarked. Empty values are left out. */
export function setQuery(values: Readonly<Record<string, string>>): void {
  const query = new URLSearchParams(address.value.query);
  for (const [name, value] of Object.entries(values)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const search = query.toString();
  window.history.replaceState(null, '', window.location.pathname + (search ? `?${search}` : ''));
  address.value = read();
}

/** Follows links within the console without loading the page again. */
export function followLinks(): void {
  window.addEventListener('popstate', () => (address.value = read()));
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest?.('a');
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute('download')) return;
    const url = new URL(link.href);
    if (url.hash || url.origin !== window.location.origin || !`${url.pathname}/`.startsWith(`${BASE}/`)) return;
    event.preventDefault();
    navigate(url.pathname.slice(BASE.length) + url.search);
  });
}
