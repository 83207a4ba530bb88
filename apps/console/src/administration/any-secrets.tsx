import { useState } from 'preact/hooks';
import { get, post } from '../api/client.js';
import type { components } from '../api/openapi.js';
import { t } from '../texts/texts.js';
import { Confirm } from '../ui/dialog.js';
import { Ready } from '../ui/page.js';
import { pageNumber, Paging } from '../ui/paging.js';
import { Table } from '../ui/table.js';
import { Time } from '../ui/time.js';
import { useLoad } from '../ui/use-load.js';
import { AccountLink } from './account-link.js';

type AccessToken = components['schemas']['AccessTokenResponse'];
type AppPassword = components['schemas']['AppPasswordResponse'];
type Owned = Readonly<{ user_id: number; username: string; secret: AccessToken | AppPassword }>;
type Page = Readonly<{ total: number; rows: readonly Owned[] }>;

/** The number of accounts on a page. */
const PER_PAGE = 50;
type Query = Readonly<{ page: number; per_page: number }>;

export const AnyAccessTokens = () => (
  <AnySecrets
    caption={t.access.tokens}
    empty={t.access.tokensEmpty}
    of={t.access.scopes}
    read={async (query, signal) => {
      const { total, content } = await get('/api/admin/token/list', { query, signal });
      return { total, rows: content.flatMap(({ tokens, ...owner }) => tokens.map((secret) => ({ ...owner, secret }))) };
    }}
    revoke={(id) => post('/api/admin/token/revoke', { body: { id } })}
  />
);

export const AnyAppPasswords = () => (
  <AnySecrets
    caption={t.access.passwords}
    empty={t.access.passwordsEmpty}
    of={t.access.protocol}
    read={async (query, signal) => {
      const { total, content } = await get('/api/admin/app_password/list', { query, signal });
      const rows = content.flatMap(({ app_passwords, ...owner }) =>
        app_passwords.map((secret) => ({ ...owner, secret })),
      );
      return { total, rows };
    }}
    revoke={(id) => post('/api/admin/app_password/revoke', { body: { id } })}
  />
);

type AnySecretsProps = Readonly<{
  caption: string;
  empty: string;
  /** The title of the column with the scopes or the protocol. */
  of: string;
  read: (query: Query, signal: AbortSignal) => Promise<Page>;
  revoke: (id: number) => Promise<unknown>;
}>;

function AnySecrets({ caption, empty, of, read, revoke }: AnySecretsProps) {
  const page = pageNumber();
  const loaded = useLoad((signal) => read({ page, per_page: PER_PAGE }, signal), [page]);
  const [revoking, setRevoking] = useState<Owned>();
  return (
    <>
      <Ready of={loaded}>
        {({ rows, total }) => (
          <>
            <Table
              caption={caption}
              rows={rows}
              keyOf={({ secret }) => secret.id}
              empty={empty}
              columns={[
                { title: t.access.account, cell: (each) => <AccountLink id={each.user_id} username={each.username} /> },
                { title: t.access.name, cell: ({ secret }) => secret.name },
                { title: of, cell: ({ secret }) => ('scopes' in secret ? secret.scopes.join(', ') : secret.protocol) },
                { title: t.access.created, cell: ({ secret }) => <Time at={secret.created} /> },
                { title: t.access.lastUsed, cell: ({ secret }) => timeOf(secret.last_used) },
                { title: t.access.expires, cell: ({ secret }) => expiryOf(secret) },
                {
                  title: '',
                  cell: (each) => (
                    <div class="buttons">
                      <button type="button" onClick={() => setRevoking(each)}>
                        {t.access.revoke}
                      </button>
                    </div>
                  ),
                },
              ]}
            />
            <Paging total={total} perPage={PER_PAGE} />
          </>
        )}
      </Ready>
      {revoking && (
        <Confirm
          title={t.access.revokeTitle}
          submit={t.access.revoke}
          onConfirm={async () => {
            await revoke(revoking.secret.id);
            loaded.reload();
          }}
          onClose={() => setRevoking(undefined)}
        >
          <p>{t.access.revokeConsequence(revoking.secret.name, revoking.username)}</p>
        </Confirm>
      )}
    </>
  );
}

const timeOf = (time: string | null) => (time === null ? t.common.never : <Time at={time} />);

const expiryOf = ({ expires, expired }: AccessToken | AppPassword) =>
  expired ? <span class="tag bad">{t.access.expired}</span> : timeOf(expires);
