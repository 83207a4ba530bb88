import type { DomainErrorCode } from '@keyfold/domain';
import { errorCodes, inputRefusals, type InputRefusal, type RefusalRow } from '@keyfold/http-envelope';

/** Names a refusal that a route can answer. */
export type RefusalName = DomainErrorCode | InputRefusal;

/** The refusals of a body that cannot be read. */
export const UNREADABLE_BODY = ['body-empty', 'body-malformed', 'body-incomplete'] as const satisfies InputRefusal[];

/** The refusals of a body that `checkedBodyOf` cannot accept. */
export const UNACCEPTED_BODY = [
  'body-unreadable',
  'too-many-fields',
  'fields-invalid',
] as const satisfies InputRefusal[];

/** The refusals of a query that `checkedQueryOf` cannot accept. */
export const UNACCEPTED_QUERY = [
  'query-too-long',
  'list-query-malformed',
  'too-many-fields',
  'fields-invalid',
] as const satisfies InputRefusal[];

const rows: Readonly<Record<RefusalName, RefusalRow>> = { ...errorCodes, ...inputRefusals };

/** Returns the refusals as a Markdown table, or a sentence if there are none. */
export function refusalTable(names: readonly RefusalName[]): string {
  if (names.length === 0) return 'Never refused.';
  const lines = names.map((name) => {
    const { code, message, when } = rows[name];
    return `| ${code} | \`${message.replace(/\{\w+\}/g, '…')}\` | ${when} |`;
  });
  return ['| code | message | when |', '| --- | --- | --- |', ...lines].join('\n');
}
