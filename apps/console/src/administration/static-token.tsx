import { useState } from 'preact/hooks';
import { get, post } from '../api/client.js';
import { t } from '../texts/texts.js';
import { Confirm } from '../ui/dialog.js';
import { Ready } from '../ui/page.js';
import { Secret } from '../ui/secret.js';
import { useLoad } from '../ui/use-load.js';

/** The static token, which acts as the administrator: shown on demand, and replaced after a question. */
export function StaticToken() {
  const [visible, setVisible] = useState(false);
  const [asking, setAsking] = useState(false);
  return (
    <>
      <p>{t.settings.tokenMeaning}</p>
      {visible && <Shown />}
      <div class="buttons">
        <button type="button" aria-expanded={visible} onClick={() => setVisible(!visible)}>
          {visible ? t.settings.hideToken : t.settings.showToken}
        </button>
        <button type="button" class="danger" onClick={() => setAsking(true)}>
          {t.settings.resetToken}
        </button>
      </div>
      {asking && (
        <Confirm
          title={t.settings.resetToken}
          submit={t.settings.resetToken}
          onConfirm={async () => {
            await post('/api/admin/setting/reset_token');
            setVisible(false);
          }}
          onClose={() => setAsking(false)}
        >
          <p>{t.settings.resetConsequence}</p>
        </Confirm>
      )}
    </>
  );
}

function Shown() {
  const loaded = useLoad((signal) => get('/api/admin/setting/get', { query: { key: 'token' }, signal }));
  return (
    <Ready of={loaded}>
      {(found) => <Secret label={t.settings.staticToken} text={'value' in found ? found.value : ''} />}
    </Ready>
  );
}
