/** A piece of a page in which every text was escaped. */
export class Html {
  constructor(readonly source: string) {}
}

type Piece = Html | string | number | readonly Html[];

/** A piece of a page: whatever is put into it is escaped, except what is such a piece itself. */
export const html = (fixed: TemplateStringsArray, ...pieces: readonly Piece[]): Html =>
  new Html(fixed.map((text, n) => (n === 0 ? text : `${sourceOf(pieces[n - 1] ?? '')}${text}`)).join(''));

/** Sentences in which words between backticks are code. */
export const prose = (sentences: string): Html[] =>
  sentences.split('`').map((part, n) => (n % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));

function sourceOf(piece: Piece): string {
  if (piece instanceof Html) return piece.source;
  if (typeof piece === 'object') return piece.map(({ source }) => source).join('');
  return String(piece).replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
