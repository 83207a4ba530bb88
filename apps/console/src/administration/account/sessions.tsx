import { useState } from 'preact/hooks';
import { get, post } from '../../api/client.js';
import type { components } from '../../api/openapi.js';
import { deviceOf } from '../../formats/device.js';
import { t, wordOf } from '../../texts/texts.js';
import { Confirm } from '../../ui/dialog.js';
import { Ready } from '../../ui/page.js';
import { pageNumber, Paging } from '../../ui/paging.js';
import { setQuery } from '../../ui/router.js';
import { Table } from '../../ui/table.js';
import { Time } from '../../ui/time.js';
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
              columns={columns((session) => setEnding({ session }))}
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
          title={ending.session ? t.access.end : t.account.endAll}
          submit={ending.session ? t.access.end : t.account.endAll}
          onConfirm={() => end(ending)}
          onClose={() => setEnding(undefined)}
        >
          <p>{ending.session ? t.account.endConsequence : t.account.endAllConsequence(isOwn)}</p>
        </Confirm>
      )}
    </>
  );
}

/** A new password or the end of all sessions refuses sessions, which stay in the list until they expire. */
const works = ({ status }: Session) => status === 0;

const columns = (onEnd: (session: Session) => void) => [
  {
    title: t.access.device,
    cell: (session: Session) => (
      <>
        {deviceText(session.ua)} {session.current && <span class="tag">{t.access.thisSession}</span>}
        {!works(session) && <span class="tag bad">{t.access.refused}</span>}
      </>
    ),
  },
  { title: t.access.ip, cell: ({ ip }: Session) => ip },
  { title: t.access.started, cell: ({ started }: Session) => <Time at={started} /> },
  { title: t.access.active, cell: ({ last_active: at }: Session) => <Time at={at} /> },
  {
    title: t.account.factors,
    cell: ({ factors }: Session) => factors.map((factor) => wordOf(t.words, factor)).join(', '),
  },
  {
    title: '',
    cell: (session: Session) =>
      // Signing out ends the own session.
      works(session) &&
      !session.current && (
        <div class="buttons">
          <button
            type="button"
            aria-label={t.account.endNamed(deviceText(session.ua), session.ip)}
            onClick={() => onEnd(session)}
          >
            {t.access.end}
          </button>
        </div>
      ),
  },
];

function deviceText(userAgent: string): string {
  const { program, system } = deviceOf(userAgent);
  return [program, system].filter(Boolean).join(', ') || t.account.unknownDevice;
}
