/** Days are those of date fields, such as `2026-11-26`, in the time zone of the person. Times are ISO 8601 timestamps. */

/** Returns when a day begins, or one some days later. Returns undefined for a text that is no day. */
export const startOfDay = (day: string, later = 0): string | undefined => timeOf(`${day}T00:00:00`, later);

/** Returns the last second of a day: a key that expires on a day works for all of it. */
export const endOfDay = (day: string): string | undefined => timeOf(`${day}T23:59:59`);

/** Returns the day of a time. */
export function dayOf(time: string): string {
  const date = new Date(time);
  const [year, month, day] = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
  return [String(year).padStart(4, '0'), String(month).padStart(2, '0'), String(day).padStart(2, '0')].join('-');
}

function timeOf(local: string, later = 0): string | undefined {
  const date = new Date(local);
  if (!/^\d{4}-\d\d-\d\dT/.test(local) || Number.isNaN(date.getTime())) return undefined;
  date.setDate(date.getDate() + later);
  return date.toISOString();
}
