/** A metric that an expression names, with the labels that it chooses by. */
export type NamedMetric = Readonly<{ name: string; labels: readonly string[] }>;

const WORDS = new Set([
  'and',
  'or',
  'unless',
  'bool',
  'offset',
  'by',
  'without',
  'on',
  'ignoring',
  'group_left',
  'group_right',
]);

/** Every metric of an expression of Prometheus. What is none: functions (a parenthesis follows), words of the language, labels. */
export function metricsIn(expression: string): NamedMetric[] {
  const plain = withoutGroupings(expression).replaceAll(/\[[^\]]*\]/g, ' ');
  const found: NamedMetric[] = [];
  for (const [, name = '', matchers = ''] of plain.matchAll(/([a-zA-Z_:][\w:]*)(?!\s*\(|[\w:])\s*(\{[^}]*\})?/g)) {
    if (!WORDS.has(name))
      found.push({ name, labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!) });
  }
  return found;
}

/** The labels that results of an expression are grouped, joined or completed by. */
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
