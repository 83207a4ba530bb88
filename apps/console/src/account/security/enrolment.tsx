import { useEffect, useState } from 'preact/hooks';
import { post, refreshAccount } from '../../api/client.js';
import { current } from '../../api/session.js';
import { t } from '../../texts/texts.js';
import { Dialog } from '../../ui/dialog.js';
import { CancelButton, CodeField, Form } from '../../ui/form.js';
import { Problem } from '../../ui/problem.js';
import { Secret } from '../../ui/secret.js';
import { clock } from '../../ui/time.js';
import { useAction } from '../../ui/use-action.js';

/** How long the service accepts a code of a new secret, in milliseconds. */
const VALID = 600_000;

type Enrolling = Readonly<{ qr: string; secret: string; until: Date }>;
type EnrolmentProps = Readonly<{ onEnrolled: () => void; onClose: () => void }>;

/** Gives an authenticator app its secret, and checks a code of it. */
export function Enrolment({ onEnrolled, onClose }: EnrolmentProps) {
  const action = useAction();
  const [enrolling, setEnrolling] = useState<Enrolling>();
  const begin = () =>
    action.run(async () => {
      const until = new Date(Date.now() + VALID);
      const { qr, secret } = await post('/api/auth/2fa/generate');
      setEnrolling({ qr, secret, until });
    });
  useEffect(() => void begin(), []);
  return (
    <Dialog title={t.security.enrol} onClose={onClose}>
      {enrolling ? (
        <Secrets key={enrolling.secret} {...enrolling} onRenew={begin} onEnrolled={onEnrolled} onClose={onClose} />
      ) : (
        <>
          <Problem error={action.error} />
          {action.busy && <div class="loading" aria-busy="true" />}
          <div class="buttons">
            <CancelButton onClick={onClose} />
          </div>
        </>
      )}
    </Dialog>
  );
}

type SecretsProps = Enrolling & EnrolmentProps & Readonly<{ onRenew: () => Promise<unknown> }>;

function Secrets({ qr, secret, until, onRenew, onEnrolled, onClose }: SecretsProps) {
  const action = useAction();
  const [code, setCode] = useState('');
  const [tries, setTries] = useState(0);
  const isExpired = useExpiry(until);
  const verify = async () => {
    try {
      await post('/api/auth/2fa/verify', { body: { code: code.trim(), secret } });
    } catch (error) {
      setCode('');
      setTries(tries + 1);
      throw error;
    }
    await refreshAccount();
    onEnrolled();
  };
  if (isExpired)
    return (
      <Form action={action} submit={t.security.renewSecret} cancel={onClose} onSubmit={() => void action.run(onRenew)}>
        <p role="status">{t.security.secretExpired}</p>
      </Form>
    );
  return (
    <Form action={action} submit={t.security.turnOn} cancel={onClose} onSubmit={() => void action.run(verify)}>
      {current.value?.otp && <p>{t.security.otherAppConsequence}</p>}
      <p>{t.security.scan(clock(until))}</p>
      <img class="qr" src={qr} alt={t.security.qr} />
      <p>{t.security.orType}</p>
      <Secret label={t.security.secret} text={secret} shown={secret.replace(/.{4}(?=.)/g, '$& ')} />
      <CodeField key={tries} hint={t.security.codeHint} value={code} onInput={setCode} autofocus={tries > 0} />
    </Form>
  );
}

/** Returns whether a time is over, and renders again when it is. */
function useExpiry(until: Date): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), until.getTime() - Date.now());
    return () => clearTimeout(timer);
  }, []);
  return isOver;
}
