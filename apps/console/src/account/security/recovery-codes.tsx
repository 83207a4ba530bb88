import { useState } from 'preact/hooks';
import { post, refreshAccount } from '../../api/client.js';
import { current } from '../../api/session.js';
import { t } from '../../texts/texts.js';
import { Dialog } from '../../ui/dialog.js';
import { Form } from '../../ui/form.js';
import { ShownOnce } from '../../ui/secret.js';
import { useAction } from '../../ui/use-action.js';
import { NO_PROOF, ProofField } from '../proof.js';

type RecoveryCodesProps = Readonly<{ intro: string; cancel: string; onClose: () => void }>;

/** Makes new recovery codes and shows them once. */
export function RecoveryCodes({ intro, cancel, onClose }: RecoveryCodesProps) {
  const action = useAction();
  const [proof, setProof] = useState(NO_PROOF);
  const [codes, setCodes] = useState<readonly string[]>();
  const generate = async () => {
    const { recovery_codes } = await post('/api/auth/2fa/recovery_codes', { body: proof });
    setCodes(recovery_codes);
  };
  if (codes) return <Codes codes={codes} onClose={onClose} />;
  return (
    <Dialog title={t.security.newCodes} onClose={onClose}>
      <p>{intro}</p>
      <Form
        action={action}
        submit={t.security.createCodes}
        more={
          <button type="button" onClick={onClose}>
            {cancel}
          </button>
        }
        onSubmit={() => void action.run(generate)}
      >
        <ProofField proof={proof} onInput={setProof} />
      </Form>
    </Dialog>
  );
}

function Codes({ codes, onClose }: Readonly<{ codes: readonly string[]; onClose: () => void }>) {
  const text = codes.join('\n');
  const close = async () => {
    await refreshAccount();
    onClose();
  };
  const download = (
    <button type="button" onClick={() => saveFile(t.security.codesFile(current.value!.username, location.host) + text)}>
      {t.security.download}
    </button>
  );
  return (
    <ShownOnce
      title={t.security.codes}
      intro={t.security.codesOnce}
      text={text}
      saved={t.security.savedCodes}
      more={download}
      onClose={close}
    />
  );
}

function saveFile(text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([`${text}\n`], { type: 'text/plain' }));
  link.download = 'keyfold-recovery-codes.txt';
  link.click();
  URL.revokeObjectURL(link.href);
}
