import { useState } from 'preact/hooks';
import { get, post } from '../api/client.js';
import type { components } from '../api/openapi.js';
import { forgetToken } from '../api/session.js';
import { t } from '../texts/texts.js';
import { Confirm } from '../ui/dialog.js';
import { Page, Ready } from '../ui/page.js';
import { navigate } from '../ui/router.js';
import { Table } from '../ui/table.js';
import { useLoad } from '../ui/use-load.js';
import { endTitle, sessionColumns } from './session-columns.js';

type Session = components['schemas']['SessionResponse'];

/** Where the account is signed in. */
export default function Sessions() {
  const sessions = useLoad((signal) => get('/api/me/sessions', { signal }));
  const [asked, setAsked] = useState<Session | 'others' | undefined>();
  const close = () => setAsked(undefined);
  const endOthers = async () => {
    await post('/api/me/sessions/evict', { body: { others: true } });
    sessions.reload();
  };
  const end = async ({ session_id, current }: Session) => {
    await post('/api/me/sessions/evict', { body: { session_id } });
    if (!current) return sessions.reload();
    forgetToken();
    navigate('/', 'replace');
  };
  const others = sessions.data?.some(({ current }) => !current) && (
    <button type="button" class="danger" onClick={() => setAsked('others')}>
      {t.sessions.endOthers}
    </button>
  );
  return (
    <Page title={t.sessions.title} intro={t.sessions.intro} actions={others}>
      <Ready of={sessions}>
        {(rows) => (
          <Table
            caption={t.sessions.title}
            columns={sessionColumns<Session>(setAsked)}
            rows={rows}
            keyOf={({ session_id: id }) => id}
            empty={t.sessions.empty}
          />
        )}
      </Ready>
      {asked === 'others' && (
        <Confirm title={t.sessions.endOthers} submit={t.sessions.endOthers} onConfirm={endOthers} onClose={close}>
          <p>{t.sessions.endOthersConsequence}</p>
        </Confirm>
      )}
      {asked && asked !== 'others' && (
        <Confirm title={endTitle(asked)} submit={t.sessions.end} onConfirm={() => end(asked)} onClose={close}>
          <p>{asked.current ? t.sessions.endCurrent : t.sessions.endConsequence}</p>
        </Confirm>
      )}
    </Page>
  );
}
