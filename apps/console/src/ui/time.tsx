import { language } from '../texts/texts.js';

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Shows a time relative to now; pointing at it shows the exact one. Takes an ISO 8601 timestamp or unix seconds. */
export function Time({ at }: Readonly<{ at: string | number }>) {
  const date = new Date(typeof at === 'number' ? at * 1_000 : at);
  return (
    <time dateTime={date.toISOString()} title={exact(date)}>
      {relative(date)}
    </time>
  );
}

export const exact = (date: Date): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(date);

function relative(date: Date): string {
  const seconds = (date.getTime() - Date.now()) / 1_000;
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  return unit === 'second' ? format.format(0, 'second') : format.format(Math.trunc(seconds / size), unit);
}
