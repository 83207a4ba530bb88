import { useState } from 'preact/hooks';
import { post, renewSession } from '../../api/client.js';
import { t } from '../../texts/texts.js';
import { Confirm } from '../../ui/dialog.js';

/** Ends all sessions and revokes all secrets of the account, for somebody who lost a device. */
export function RevokeEverything() {
  const [asking, setAsking] = useState(false);
  const revoke = async () => {
    await post('/api/me/revoke-everything');
    await renewSession(t.security.revokedEverything);
  };
  return (
    <>
      <p>{t.security.revokeEverythingWhy}</p>
      <div class="buttons">
        <button type="button" class="danger" onClick={() => setAsking(true)}>
          {t.security.revokeEverything}
        </button>
      </div>
      {asking && (
        <Confirm
          title={t.security.revokeEverythingAsk}
          submit={t.security.revokeEverything}
          onConfirm={revoke}
          onClose={() => setAsking(false)}
        >
          <p>{t.security.revokeEverythingConsequence}</p>
        </Confirm>
      )}
    </>
  );
}
