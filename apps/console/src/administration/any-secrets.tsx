import { useState } from 'preact/hooks';
import { get, post } from '../api/client.js';
import type { components } from '../api/openapi.js';
import { t, wordOf } from '../texts/texts.js';
import { Confirm } from '../ui/dialog.js';
import { Ready } from '../ui/page.js';
import { pageNumber, Paging } from '../ui/paging.js';
import { Table } from '../ui/table.js';
import { Expiry, Time } from '../ui/time.js';
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
    caption={t.secrets.tokens.title}
    empty={t.access.tokensEmpty}
    of={t.secrets.tokens.details}
    read={async (query, signal) => {
      const { total, content } = await get('/api/admin/token/list', { query, signal });
      return { total, rows: content.flatMap(({ tokens, ...owner }) => tokens.map((secret) => ({ ...owner, secret }))) };
    }}
    revoke={(id) => post('/api/admin/token/revoke', { body: { id } })}
  />
);

export const AnyAppPasswords = () => (
  <AnySecrets
    caption={t.secrets.appPasswords.title}
    empty={t.access.passwordsEmpty}
    of={t.secrets.appPasswords.details}
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
                { title: t.secrets.name, cell: ({ secret }) => secret.name },
                { title: of, cell: ({ secret }) => purposeOf(secret) },
                { title: t.secrets.created, cell: ({ secret }) => <Time at={secret.created} /> },
                { title: t.secrets.lastUsed, cell: ({ secret }) => <Time at={secret.last_used} /> },
                {
                  title: t.secrets.expires,
                  cell: ({ secret: { expires, expired } }) => <Expiry at={expires} isOver={expired} />,
                },
                {
                  title: '',
                  cell: (each) => (
                    <div class="buttons">
                      <button
                        type="button"
                        class="danger"
                        aria-label={t.secrets.revokeTitle(each.secret.name, each.username)}
                        onClick={() => setRevoking(each)}
                      >
                        {t.secrets.revoke}
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
          title={t.secrets.revokeTitle(revoking.secret.name, revoking.username)}
          submit={t.secrets.revoke}
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

const purposeOf = (secret: AccessToken | AppPassword): string =>
  ('scopes' in secret ? secret.scopes : [secret.protocol]).map((each) => wordOf(t.words, each)).join(', ');
