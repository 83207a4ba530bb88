import { language, t } from '../texts/texts.js';

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/**
 * Shows a time relative to now; pointing at it shows the exact one. `isExact` shows the exact time at once. Takes an ISO 8601 timestamp or
 * unix seconds; null is never.
 */
export function Time({ at, isExact }: Readonly<{ at: string | number | null; isExact?: boolean }>) {
  if (at === null) return <>{t.common.never}</>;
  const date = new Date(typeof at === 'number' ? at * 1_000 : at);
  return (
    <time dateTime={date.toISOString()} title={exact(date)}>
      {isExact ? exact(date) : relative(date)}
    </time>
  );
}

/** Shows until when something works. */
export function Expiry({ at, isOver }: Readonly<{ at: string | null; isOver: boolean }>) {
  if (at === null) return <>{t.common.never}</>;
  return isOver ? (
    <span class="tag bad" title={exact(new Date(at))}>
      {t.common.expired}
    </span>
  ) : (
    <time dateTime={at} title={exact(new Date(at))}>
      {new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(new Date(at))}
    </time>
  );
}

export const exact = (date: Date): string =>
  new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(date);

/** Shows the time of day. */
export const clock = (date: Date): string => new Intl.DateTimeFormat(language, { timeStyle: 'short' }).format(date);

function relative(date: Date): string {
  const seconds = (date.getTime() - Date.now()) / 1_000;
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  return unit === 'second' ? format.format(0, 'second') : format.format(Math.trunc(seconds / size), unit);
}
