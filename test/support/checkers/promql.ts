/** A metric in an expression, with the labels of its matchers. */
export type NamedMetric = Readonly<{ name: string; labels: readonly string[] }>;

const WORDS = new Set('and or unless bool offset by without on ignoring group_left group_right'.split(' '));

/** Returns every metric of a PromQL expression. Skips functions (a parenthesis follows), keywords and labels. */
export function metricsIn(expression: string): NamedMetric[] {
  const plain = withoutGroupings(expression).replaceAll(/\[[^\]]*\]/g, ' ');
  const found: NamedMetric[] = [];
  for (const [, name = '', matchers = ''] of plain.matchAll(/([a-zA-Z_:][\w:]*)(?!\s*\(|[\w:])\s*(\{[^}]*\})?/g)) {
    if (!WORDS.has(name))
      found.push({ name, labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!) });
  }
  return found;
}

/** Returns the labels that an expression groups or joins by. */
export function groupingsIn(expression: string): string[] {
  return [...withoutTexts(expression).matchAll(GROUPING)].flatMap(([, list = '']) =>
    list
      .split(',')
      .map((label) => label.trim())
      .filter(Boolean),
  );
}

const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const withoutTexts = (expression: string) => expression.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""');
const withoutGroupings = (expression: string) => withoutTexts(expression).replaceAll(GROUPING, ' ');
