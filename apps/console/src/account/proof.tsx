import { useState } from 'preact/hooks';
import { t } from '../texts/texts.js';
import { CodeField, Field } from '../ui/form.js';

/** The password or a code, by which an owner proves that a change is theirs. */
export type Proof = Readonly<{ password: string } | { otp_code: string }>;

type ProofProps = Readonly<{ proof: Proof; onInput: (proof: Proof) => void; autofocus?: boolean }>;

export const NO_PROOF: Proof = { password: '' };

/** Asks for the password, or for a code instead. */
export function ProofField({ proof, onInput, autofocus }: ProofProps) {
  const [switched, setSwitched] = useState(autofocus ?? false);
  const swap = (empty: Proof) => {
    setSwitched(true);
    onInput(empty);
  };
  return 'password' in proof ? (
    <>
      <Field
        label={t.signIn.password}
        type="password"
        value={proof.password}
        onInput={(password) => onInput({ password })}
        autocomplete="current-password"
        autofocus={switched}
        required
      />
      <button type="button" class="quiet" onClick={() => swap({ otp_code: '' })}>
        {t.proof.codeInstead}
      </button>
    </>
  ) : (
    <>
      <CodeField value={proof.otp_code} onInput={(otp_code) => onInput({ otp_code })} autofocus={switched} />
      <button type="button" class="quiet" onClick={() => swap(NO_PROOF)}>
        {t.proof.passwordInstead}
      </button>
    </>
  );
}
