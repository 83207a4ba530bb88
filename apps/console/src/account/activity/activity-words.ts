import type { components } from '../../api/openapi.js';
import { t, wordOf } from '../../texts/texts.js';
import { permissionsIn, roleName } from '../../ui/permissions.js';
import { exact } from '../../ui/time.js';

export type Activity = components['schemas']['ActivityResponse'];

/** Returns what an activity is mainly about, such as the title of a key. */
export function subjectOf({ details }: Activity): string {
  const { title, name, username, fingerprint } = details;
  const subject = [title, name, username, fingerprint].find((each) => typeof each === 'string');
  return (subject as string | undefined) ?? '';
}

export function actorOf({ kind, account_id: id, username }: Activity['actor']): string {
  // The names of deleted accounts are gone, and those of other people are not for everybody.
  const name = username || (id === null ? '' : t.activity.account(id));
  if (kind === 'session' || kind === 'login') return name;
  const word = Object.hasOwn(t.activity.actors, kind) ? t.activity.actors[kind]! : () => kind;
  return word(name);
}

/** Returns the details of an activity in words, and the ids by which an operator finds it in the log. */
export function factsOf({
  details,
  session_id,
  ua,
  correlation_id,
}: Activity): (readonly [name: string, text: string])[] {
  const { facts, session, userAgent, request } = t.activity;
  return [
    ...Object.entries(details).map(([name, value]) => [wordOf(facts, name), factText(name, value)] as const),
    ...(
      [
        [userAgent, ua],
        [session, session_id],
        [request, correlation_id],
      ] as const
    ).filter(([, text]) => text !== ''),
  ];
}

const TIMES = ['expires', 'used'];
/** Details whose values have words. Others, such as titles and names, were chosen by somebody. */
const WORDED = ['factors', 'fields', 'protocol', 'reason', 'scopes'];

function factText(name: string, value: unknown): string {
  if (typeof value === 'number') return numberText(name, value);
  if (typeof value === 'boolean') return value ? t.activity.yes : t.activity.no;
  if (Array.isArray(value)) return value.map((each) => factText(name, each)).join(', ');
  if (value === null) return t.common.never;
  if (typeof value !== 'string') return JSON.stringify(value);
  if (TIMES.includes(name)) return exact(new Date(value));
  return WORDED.includes(name) ? wordOf(t.words, value) : value;
}

function numberText(name: string, value: number): string {
  if (name === 'permission')
    return (
      permissionsIn(value)
        .map((each) => t.permissions[each])
        .join(', ') || t.activity.none
    );
  return name === 'role' ? roleName(value) : String(value);
}
