import type { FunctionComponent } from 'preact';
import { useState } from 'preact/hooks';
import { Refusal } from '../../api/client.js';
import { endOfDay } from '../../formats/day.js';
import { t } from '../../texts/texts.js';
import { Dialog } from '../../ui/dialog.js';
import { Field, Form } from '../../ui/form.js';
import { ShownOnce } from '../../ui/secret.js';
import { useAction } from '../../ui/use-action.js';
import { NO_PROOF, ProofField, type Proof } from '../proof.js';

export type SecretTexts = typeof t.secrets.tokens;
/** The fields of both kinds, with the proof of the owner if the service asked for it. */
export type CommonFields = Readonly<{ name: string; expires: string | null }> & Partial<Proof>;

/** The code with which the service asks for the password or a code, because the login is not recent. */
const STEP_UP = 428;

type CreateSecretProps<Details> = Readonly<{
  texts: SecretTexts;
  create: (details: Details, common: CommonFields) => Promise<string>;
  details: Readonly<{
    start: Details;
    Fields: FunctionComponent<Readonly<{ value: Details; onInput: (value: Details) => void }>>;
  }>;
  isComplete: (details: Details) => boolean;
  onCreated: () => void;
  onClose: () => void;
}>;

/** Creates a secret and shows it once. */
export function CreateSecret<Details>({
  texts,
  create,
  details: { start, Fields },
  isComplete,
  onCreated,
  onClose,
}: CreateSecretProps<Details>) {
  const action = useAction();
  const [name, setName] = useState('');
  const [details, setDetails] = useState(start);
  const [day, setDay] = useState('');
  const [proof, setProof] = useState<Proof | undefined>();
  const [secret, setSecret] = useState<string | undefined>();
  const submit = async () => {
    try {
      setSecret(await create(details, { name, expires: endOfDay(day) ?? null, ...proof }));
      onCreated();
    } catch (error) {
      // The first refusal of this kind is a question, not a wrong answer.
      const asks = error instanceof Refusal && error.code === STEP_UP && proof === undefined;
      if (!asks) throw error;
      setProof(NO_PROOF);
    }
  };
  if (secret !== undefined)
    return <ShownOnce title={texts.secret} intro={texts.once} text={secret} onClose={onClose} />;
  return (
    <Dialog title={texts.create} onClose={onClose}>
      <Form
        action={action}
        submit={texts.create}
        idle={!name || !isComplete(details)}
        cancel={onClose}
        onSubmit={() => void action.run(submit)}
      >
        <Field label={t.secrets.name} hint={texts.nameHint} value={name} onInput={setName} required />
        <Fields value={details} onInput={setDetails} />
        <Field label={t.secrets.expires} hint={t.secrets.expiresHint} type="date" value={day} onInput={setDay} />
        {proof && (
          <>
            <p role="status">{t.secrets.stepUp}</p>
            <ProofField proof={proof} onInput={setProof} autofocus />
          </>
        )}
      </Form>
    </Dialog>
  );
}
