import { useState } from 'preact/hooks';
import { get, post } from '../../api/client.js';
import type { components } from '../../api/openapi.js';
import { endTitle, sessionColumns, works } from '../../account/session-columns.js';
import { t } from '../../texts/texts.js';
import { Confirm } from '../../ui/dialog.js';
import { Ready } from '../../ui/page.js';
import { pageNumber, Paging } from '../../ui/paging.js';
import { setQuery } from '../../ui/router.js';
import { Table } from '../../ui/table.js';
import { useLoad } from '../../ui/use-load.js';
import type { Account } from './changes.js';

type Session = components['schemas']['AnySessionResponse'];
type Ending = Readonly<{ session: Session } | { session?: never }>;

const PER_PAGE = 20;
/** The parameter of the address. */
const PAGE = 'sessions';

/** The sessions of an account. `of` is read again whenever the account was changed, and so are they. */
export function Sessions({ id, isOwn, of }: Readonly<{ id: number; isOwn: boolean; of: Account }>) {
  const page = pageNumber(PAGE);
  const [ending, setEnding] = useState<Ending>();
  const loaded = useLoad(
    (signal) => get('/api/admin/session/list', { query: { user_id: id, page, per_page: PER_PAGE }, signal }),
    [id, of, page],
  );
  const end = async ({ session }: Ending) => {
    await post('/api/admin/session/evict', { body: session ? { session_id: session.session_id } : { user_id: id } });
    setQuery({ [PAGE]: '' });
    loaded.reload();
  };
  return (
    <>
      <Ready of={loaded}>
        {({ content, total }) => (
          <>
            <Table
              caption={t.sessions.title}
              // Signing out ends the own session.
              columns={sessionColumns<Session>(
                (session) => setEnding({ session }),
                (session) => works(session) && !session.current,
              )}
              rows={content}
              keyOf={({ session_id: sessionId }) => sessionId}
              empty={t.account.noSessions}
            />
            <Paging total={total} perPage={PER_PAGE} name={PAGE} />
            {content.some(works) && (
              <p>
                <button type="button" class="danger" onClick={() => setEnding({})}>
                  {t.account.endAll}
                </button>
              </p>
            )}
          </>
        )}
      </Ready>
      {ending && (
        <Confirm
          title={ending.session ? endTitle(ending.session) : t.account.endAll}
          submit={ending.session ? t.sessions.end : t.account.endAll}
          onConfirm={() => end(ending)}
          onClose={() => setEnding(undefined)}
        >
          <p>{ending.session ? t.account.endConsequence : t.account.endAllConsequence(isOwn)}</p>
        </Confirm>
      )}
    </>
  );
}
