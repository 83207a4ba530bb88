/** An HTML fragment in which all text is escaped. */
export class Html {
  constructor(readonly source: string) {}
}

type Value = Html | string | number | readonly Html[];

/** Template tag for HTML fragments. Escapes every value except other fragments. */
export const html = (strings: TemplateStringsArray, ...values: readonly Value[]): Html =>
  new Html(strings.map((text, n) => (n === 0 ? text : `${sourceOf(values[n - 1] ?? '')}${text}`)).join(''));

/** Converts text to HTML. Words between backticks become code. */
export const textWithCode = (text: string): Html[] =>
  text.split('`').map((part, n) => (n % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));

function sourceOf(value: Value): string {
  if (value instanceof Html) return value.source;
  if (typeof value === 'object') return value.map(({ source }) => source).join('');
  return String(value).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
