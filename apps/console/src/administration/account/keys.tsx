import { useState } from 'preact/hooks';
import { get, post } from '../../api/client.js';
import { keyColumns, type SshKey } from '../../account/keys/key-columns.js';
import { t } from '../../texts/texts.js';
import { Confirm } from '../../ui/dialog.js';
import { Ready } from '../../ui/page.js';
import { pageNumber, Paging } from '../../ui/paging.js';
import { setQuery } from '../../ui/router.js';
import { Table } from '../../ui/table.js';
import { useLoad } from '../../ui/use-load.js';

const PER_PAGE = 20;
/** The parameter of the address. */
const PAGE = 'keys';

/** The SSH keys of an account. Only their owner adds keys. */
export function Keys({ id }: Readonly<{ id: number }>) {
  const page = pageNumber(PAGE);
  const [removed, setRemoved] = useState<SshKey>();
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

const columns = (onRemove: (key: SshKey) => void) =>
  keyColumns((key) => (
    <button type="button" class="danger" aria-label={t.account.removeKeyNamed(key.title)} onClick={() => onRemove(key)}>
      {t.keys.remove}
    </button>
  ));
