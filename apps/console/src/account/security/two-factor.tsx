import { useState } from 'preact/hooks';
import { post, refreshAccount } from '../../api/client.js';
import { current } from '../../api/session.js';
import { t } from '../../texts/texts.js';
import { Dialog } from '../../ui/dialog.js';
import { Form } from '../../ui/form.js';
import { useAction } from '../../ui/use-action.js';
import { NO_PROOF, ProofField } from '../proof.js';
import { Enrolment } from './enrolment.js';
import { RecoveryCodes } from './recovery-codes.js';

type Step = 'enrolment' | 'first codes' | 'codes' | 'turning off';

/** The state of the second factor, and the dialogs that change it. */
export function TwoFactor() {
  const { otp } = current.value!;
  const [step, setStep] = useState<Step>();
  const close = () => setStep(undefined);
  // Another app leaves the codes as they are.
  const offerCodes = () => setStep(current.value?.recovery_codes_left === undefined ? 'first codes' : undefined);
  return (
    <>
      <p>{otp ? t.security.twoFactorIsOn : t.security.twoFactorIsOff}</p>
      {otp && <CodesLeft />}
      <div class="buttons">
        <button type="button" class={otp ? undefined : 'primary'} onClick={() => setStep('enrolment')}>
          {otp ? t.security.otherApp : t.security.turnOn}
        </button>
        {otp && (
          <>
            <button type="button" onClick={() => setStep('codes')}>
              {t.security.newCodes}
            </button>
            <button type="button" class="danger" onClick={() => setStep('turning off')}>
              {t.security.turnOff}
            </button>
          </>
        )}
      </div>
      {step === 'enrolment' && <Enrolment onEnrolled={offerCodes} onClose={close} />}
      {step === 'first codes' && (
        <RecoveryCodes intro={t.security.firstCodes} cancel={t.security.later} onClose={close} />
      )}
      {step === 'codes' && (
        <RecoveryCodes intro={t.security.newCodesConsequence} cancel={t.common.cancel} onClose={close} />
      )}
      {step === 'turning off' && <TurnOff onClose={close} />}
    </>
  );
}

function CodesLeft() {
  const { recovery_codes_left: left, recovery_codes_low: isLow } = current.value!;
  if (left === undefined || isLow)
    return (
      <div class="notice bad">
        <p>{left === undefined ? t.security.noCodes : t.security.fewCodes(left)}</p>
      </div>
    );
  return <p>{t.security.codesLeft(left)}</p>;
}

function TurnOff({ onClose }: Readonly<{ onClose: () => void }>) {
  const action = useAction();
  const [proof, setProof] = useState(NO_PROOF);
  const turnOff = async () => {
    await post('/api/auth/2fa/disable', { body: proof });
    await refreshAccount();
    onClose();
  };
  return (
    <Dialog title={t.security.turnOff} onClose={onClose}>
      <p>{t.security.turnOffConsequence}</p>
      <Form
        action={action}
        submit={t.security.turnOff}
        danger
        cancel={onClose}
        onSubmit={() => void action.run(turnOff)}
      >
        <ProofField proof={proof} onInput={setProof} />
      </Form>
    </Dialog>
  );
}
