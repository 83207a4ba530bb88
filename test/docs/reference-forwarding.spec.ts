import { expect, it } from 'vitest';
import { forwardingRows, OWN_ROUTES, type ForwardingRow } from '../../apps/gateway/src/openlist/forwarding-table.js';
import { expectPage, table } from '../support/reference-page.js';

const code = (text: string) => `\`${text}\``;

const SPEAKERS = {
  caller: 'the caller',
  'caller or nobody': 'the caller, or nobody while the guest is disabled',
  login: 'the account of the Basic login',
  signature: 'the signer of the request',
  nobody: 'nobody',
};

function cellsOf(row: ForwardingRow): string[] {
  const paths = row === OWN_ROUTES ? 'every other route of Keyfold' : row.paths.map(code).join(', ');
  if (row.speaker === undefined) return [paths, 'Keyfold', '', '', row.note];
  const scope = row.speaker.startsWith('caller') ? (row.scope ? code(row.scope) : 'none') : '';
  return [paths, 'OpenList', SPEAKERS[row.speaker], scope, row.note];
}

const page = `# Forwarding

For operators and developers of clients of a Keyfold [in front of OpenList](../connect/openlist.md): who answers a request, and whom it speaks for there. The first
row with the path counts; \`/x/*\` is every path below \`/x/\`. An address that two readers could take for those of different rows is refused with 400 or
404. The last column but one names the scope that an access token needs, or that the row takes none. This page is generated from the code by
\`npm run docs\`.

${table(['path', 'answered by', 'speaks for', 'scope', 'what'], forwardingRows.map(cellsOf))}

Requests of an administrator have the static token of OpenList, those of a general account the token of its user there, and those of the guest none. The
preflight of a browser needs no login, nor does \`OPTIONS\` of WebDAV. While OpenList is down, forwarded requests get 503 with \`Retry-After\`.
Answers have \`Cache-Control: no-store\` unless they speak for nobody. The body of a request without an account gets 408 after 60 seconds, except an upload.
`;

it('the page of forwarding is what the table says', () => expectPage('reference/forwarding.md', page));

it('the last row takes every path', () => {
  expect(forwardingRows.at(-1)!.paths).toEqual(['/*']);
});
