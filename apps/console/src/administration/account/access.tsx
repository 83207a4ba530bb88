import { useState } from 'preact/hooks';
import { post } from '../../api/client.js';
import { ADMINISTRATOR, GUEST } from '../../api/session.js';
import { t } from '../../texts/texts.js';
import { Confirm } from '../../ui/dialog.js';
import { Check, Form } from '../../ui/form.js';
import { Saved } from '../../ui/problem.js';
import { navigate } from '../../ui/router.js';
import { useAction } from '../../ui/use-action.js';
import type { Account } from './changes.js';
import { readAccount, replaceAccount } from './edit.js';
import { GeneratedPassword, PasswordChoice } from './password-choice.js';
import { newPassword } from './password.js';

type AccessProps = Readonly<{ account: Account; onChanged: () => void }>;

/** Decides whether and how somebody signs in to the account. It offers only what the service does for the role. */
export function Access({ account, onChanged }: AccessProps) {
  const { id, username, role, disabled } = account;
  const setDisabled = async (to: boolean) => {
    await replaceAccount({ ...(await readAccount(id)), disabled: to });
    onChanged();
  };
  const { enable, disable, cancelTwoFactor, revoke, remove } = t.account.acts;
  return (
    <>
      {role !== ADMINISTRATOR && (
        <Act
          key={disabled ? 'enable' : 'disable'}
          {...(disabled ? enable : disable)}
          isHarmless={disabled}
          onConfirm={() => setDisabled(!disabled)}
        />
      )}
      {role !== GUEST && (
        <>
          <Act
            {...cancelTwoFactor}
            onConfirm={() => post('/api/admin/user/cancel_2fa', { query: { id } }).then(onChanged)}
          />
          <Act
            {...revoke}
            onConfirm={() => post('/api/admin/user/revoke-everything', { query: { id } }).then(onChanged)}
          />
        </>
      )}
      {role !== ADMINISTRATOR && role !== GUEST && (
        <Act
          {...remove}
          typed={username}
          onConfirm={async () => {
            await post('/api/admin/user/delete', { query: { id } });
            navigate('/accounts', 'replace');
          }}
        />
      )}
    </>
  );
}

type ActProps = Readonly<{
  name: string;
  explanation: string;
  consequence: string;
  typed?: string;
  isHarmless?: boolean;
  onConfirm: () => Promise<unknown>;
}>;

/** A change that is confirmed. */
function Act({ name, explanation, consequence, typed, isHarmless, onConfirm }: ActProps) {
  const [asks, setAsks] = useState(false);
  const [isDone, setDone] = useState(false);
  const confirm = async () => {
    await onConfirm();
    setDone(true);
  };
  return (
    <div class="act">
      <p>
        {explanation} {isDone && <span role="status">{t.account.done}</span>}
      </p>
      <button type="button" class={isHarmless ? undefined : 'danger'} onClick={() => setAsks(true)}>
        {name}
      </button>
      {asks && (
        <Confirm title={name} submit={name} typed={typed} onConfirm={confirm} onClose={() => setAsks(false)}>
          <p>{consequence}</p>
        </Confirm>
      )}
    </div>
  );
}

/** Gives somebody else's account a new password. */
export function NewPassword({ account: { id, username }, onChanged }: AccessProps) {
  const action = useAction();
  const [generates, setGenerates] = useState(true);
  const [typed, setTyped] = useState('');
  const [revokes, setRevokes] = useState(false);
  const [shown, setShown] = useState<string>();
  const [isSaved, setSaved] = useState(false);
  const submit = async () => {
    setSaved(false);
    const password = generates ? newPassword() : typed;
    const present = await readAccount(id);
    await replaceAccount({ ...present, password }, { revoke_secrets: revokes });
    if (generates) setShown(password);
    else setSaved(true);
    setTyped('');
    onChanged();
  };
  return (
    <>
      <p>{t.account.passwordConsequence}</p>
      <Form action={action} submit={t.account.setPassword} onSubmit={() => void action.run(submit)}>
        <PasswordChoice generates={generates} onGenerates={setGenerates} password={typed} onPassword={setTyped} />
        <Check label={t.account.revokeSecrets} checked={revokes} onChange={setRevokes} />
        {isSaved && <Saved />}
      </Form>
      {shown !== undefined && (
        <GeneratedPassword username={username} password={shown} onClose={() => setShown(undefined)} />
      )}
    </>
  );
}
