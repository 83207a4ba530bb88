import type { components } from '../api/openapi.js';
import { deviceOf } from '../formats/device.js';
import { t, wordOf } from '../texts/texts.js';
import { Time } from '../ui/time.js';

/** The sessions of everybody name their owner. */
type Session = components['schemas']['SessionResponse'] & Readonly<{ username?: string }>;

/** A change of the account refuses its sessions, which stay in the list until they expire. */
export const works = ({ status }: Pick<Session, 'status'>): boolean => status === 0;

/** The columns of a list of sessions. `end` is called for the session whose button was pressed. */
export const sessionColumns = <Shown extends Session>(
  end: (session: Shown) => void,
  canEnd: (session: Shown) => boolean = () => true,
) => [
  {
    title: t.sessions.device,
    cell: (session: Shown) => (
      <>
        <span title={session.ua}>{deviceText(session)}</span>{' '}
        {session.current && <span class="tag">{t.sessions.current}</span>}
        {!works(session) && <span class="tag bad">{t.sessions.refused}</span>}
      </>
    ),
  },
  { title: t.sessions.address, cell: ({ ip }: Shown) => ip },
  { title: t.sessions.started, cell: ({ started }: Shown) => <Time at={started} /> },
  { title: t.sessions.lastActive, cell: ({ last_active: at }: Shown) => <Time at={at} /> },
  {
    title: t.sessions.factors,
    cell: ({ factors }: Shown) => factors.map((each) => wordOf(t.words, each)).join(', '),
  },
  {
    title: '',
    cell: (session: Shown) =>
      canEnd(session) && (
        <div class="buttons">
          <button type="button" aria-label={endTitle(session)} onClick={() => end(session)}>
            {t.sessions.end}
          </button>
        </div>
      ),
  },
];

/** The label of the button that ends a session, and the title of its dialog. */
export const endTitle = (session: Session): string =>
  t.sessions.endTitle(deviceText(session), session.ip, session.username);

function deviceText({ ua }: Pick<Session, 'ua'>): string {
  const { program, system } = deviceOf(ua);
  if (program && system) return t.sessions.programOn(program, system);
  return program || system || t.sessions.unknownDevice;
}
