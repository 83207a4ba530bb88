import { useState } from 'preact/hooks';
import { get, post } from '../api/client.js';
import { endTitle, sessionColumns } from '../account/session-columns.js';
import type { components } from '../api/openapi.js';
import { t } from '../texts/texts.js';
import { Confirm } from '../ui/dialog.js';
import { Ready } from '../ui/page.js';
import { pageNumber, Paging } from '../ui/paging.js';
import { Table } from '../ui/table.js';
import { useLoad } from '../ui/use-load.js';
import { AccountLink } from './account-link.js';

type Session = components['schemas']['AnySessionResponse'];

const PER_PAGE = 50;

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
              caption={t.sessions.title}
              rows={content}
              keyOf={({ session_id }) => session_id}
              empty={t.access.sessionsEmpty}
              columns={[
                { title: t.access.account, cell: (each) => <AccountLink id={each.user_id} username={each.username} /> },
                ...sessionColumns<Session>(setEnding),
              ]}
            />
            <Paging total={total} perPage={PER_PAGE} />
          </>
        )}
      </Ready>
      {ending && (
        <Confirm
          title={endTitle(ending)}
          submit={t.sessions.end}
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
