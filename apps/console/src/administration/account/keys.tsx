import { useState } from 'preact/hooks';
import { get, post } from '../../api/client.js';
import type { components } from '../../api/openapi.js';
import { t } from '../../texts/texts.js';
import { Confirm } from '../../ui/dialog.js';
import { Ready } from '../../ui/page.js';
import { pageNumber, Paging } from '../../ui/paging.js';
import { setQuery } from '../../ui/router.js';
import { Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';
import { useLoad } from '../../ui/use-load.js';

type Key = components['schemas']['SshKeyResponse'];

const PER_PAGE = 20;
/** The parameter of the address. */
const PAGE = 'keys';

/** The SSH keys of an account. Only their owner adds keys. */
export function Keys({ id }: Readonly<{ id: number }>) {
  const page = pageNumber(PAGE);
  const [removed, setRemoved] = useState<Key>();
  const loaded = useLoad(
    (signal) => get('/api/admin/user/sshkey/list', { query: { uid: id, page, per_page: PER_PAGE }, signal }),
    [id, page],
  );
  return (
    <>
      <Ready of={loaded}>
        {({ content, total }) => (
          <>
            <Table
              caption={t.keys.title}
              columns={columns(setRemoved)}
              rows={content}
              keyOf={({ id: keyId }) => keyId}
              empty={t.account.noKeys}
            />
            <Paging total={total} perPage={PER_PAGE} name={PAGE} />
          </>
        )}
      </Ready>
      {removed && (
        <Confirm
          title={t.account.removeKey}
          submit={t.account.removeKey}
          onConfirm={async () => {
            await post('/api/admin/user/sshkey/delete', { query: { id: removed.id } });
            setQuery({ [PAGE]: '' });
            loaded.reload();
          }}
          onClose={() => setRemoved(undefined)}
        >
          <p>{t.account.removeKeyConsequence(removed.title)}</p>
        </Confirm>
      )}
    </>
  );
}

const columns = (onRemove: (key: Key) => void) => [
  {
    title: t.access.keyTitle,
    cell: ({ title, expired }: Key) => (
      <>
        {title} {expired && <span class="tag bad">{t.access.expired}</span>}
      </>
    ),
  },
  {
    title: t.access.fingerprint,
    cell: ({ fingerprint, type, bits }: Key) => (
      <>
        <code>{fingerprint}</code>
        <p class="hint">
          {type}, {bits}
        </p>
      </>
    ),
  },
  { title: t.account.added, cell: ({ added_time: added }: Key) => <Time at={added} /> },
  {
    title: t.access.lastUsed,
    cell: ({ added_time: added, last_used_time: used }: Key) => (used === added ? t.common.never : <Time at={used} />),
  },
  {
    title: t.access.expires,
    cell: ({ expires_time: expires }: Key) => (expires === null ? t.common.never : <Time at={expires} />),
  },
  {
    title: '',
    cell: (key: Key) => (
      <div class="buttons">
        <button type="button" aria-label={t.account.removeKeyNamed(key.title)} onClick={() => onRemove(key)}>
          {t.account.remove}
        </button>
      </div>
    ),
  },
];
