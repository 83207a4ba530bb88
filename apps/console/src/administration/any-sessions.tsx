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

type Session = components['schemas']['AnySessionResponse'];

const PER_PAGE = 50;
/** A session that the service refuses, because its account was changed. */
const REFUSED = 1;

/** The sessions of everybody, the latest login first. */
export function AnySessions() {
  const page = pageNumber();
  const query = { page, per_page: PER_PAGE };
  const loaded = useLoad((signal) => get('/api/admin/session/list', { query, signal }), [page]);
  const [ending, setEnding] = useState<Session>();
  return (
    <>
      <Ready of={loaded}>
        {({ content, total }) => (
          <>
            <Table
              caption={t.access.sessions}
              rows={content}
              keyOf={({ session_id }) => session_id}
              empty={t.access.sessionsEmpty}
              columns={[
                { title: t.access.account, cell: (each) => <AccountLink id={each.user_id} username={each.username} /> },
                { title: t.access.device, cell: (each) => <Client session={each} /> },
                { title: t.access.ip, cell: ({ ip }) => <code>{ip}</code> },
                { title: t.access.started, cell: ({ started }) => <Time at={started} /> },
                { title: t.access.active, cell: ({ last_active }) => <Time at={last_active} /> },
                {
                  title: '',
                  cell: (each) => (
                    <div class="buttons">
                      <button type="button" onClick={() => setEnding(each)}>
                        {t.access.end}
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
      {ending && (
        <Confirm
          title={t.access.endTitle}
          submit={t.access.end}
          onConfirm={async () => {
            await post('/api/admin/session/evict', { body: { session_id: ending.session_id } });
            loaded.reload();
          }}
          onClose={() => setEnding(undefined)}
        >
          <p>{t.access.endConsequence(ending.username)}</p>
        </Confirm>
      )}
    </>
  );
}

const Client = ({ session: { ua, current, status } }: Readonly<{ session: Session }>) => (
  <>
    {ua} {current && <span class="tag">{t.access.thisSession}</span>}
    {status === REFUSED && <span class="tag">{t.access.refused}</span>}
  </>
);
