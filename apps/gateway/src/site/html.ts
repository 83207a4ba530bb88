/** An HTML fragment in which all text is escaped. */
export class Html {
  constructor(readonly source: string) {}
}

export type Value = Html | string | number | readonly Html[];

/** Template tag for HTML fragments. Escapes every value except other fragments. */
export const html = (strings: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(strings.map((text, n) => (n === 0 ? text : `${sourceOf(values[n - 1] ?? '')}${text}`)).join(''));

/** Converts text to HTML. Words between backticks become code. */
export const textWithCode = (text: string): Html[] =>
  text.split('`').map((part, n) => (n % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));

/** Creates a table with one row of headings. */
export const table = (headings: readonly string[], rows: readonly (readonly Value[])[]): Html =>
  html`<table>
    <thead>
      <tr>
        ${headings.map((heading) => html`<th>${heading}</th> `)}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (cells) =>
          html`<tr>
            ${cells.map((cell) => html`<td>${cell}</td> `)}
          </tr> `,
      )}
    </tbody>
  </table>`;

function sourceOf(value: Value): string {
  if (value instanceof Html) return value.source;
  if (typeof value === 'object') return value.map(({ source }) => source).join('');
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fff; }
h1, h2 { line-height: 1.2; } h2 { margin-top: 3rem; }
table { border-collapse: collapse; width: 100%; } th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #ccc; }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; } pre { background: #f4f4f4; padding: .8rem; overflow-x: auto; }
summary { cursor: pointer; }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #1a1a1a; } pre { background: #262626; } a { color: #8ab4f8; } }
`;

/** The Content-Security-Policy of the pages: no scripts, no external resources, only inline styles. */
export const PAGE_CSP = "default-src 'none'; style-src 'unsafe-inline'";

/** Creates a page without scripts. It follows the light or dark preference of the browser. */
export const htmlPage = (title: string, content: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${new Html(STYLE)}
        </style>
      </head>
      <body>
        ${content}
      </body>
    </html> `;
