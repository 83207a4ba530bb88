import { useState } from 'preact/hooks';
import { t } from '../../texts/texts.js';
import { Dialog } from '../../ui/dialog.js';
import { Check, Field, Form } from '../../ui/form.js';
import { Secret } from '../../ui/secret.js';
import { useAction } from '../../ui/use-action.js';

type PasswordChoiceProps = Readonly<{
  generates: boolean;
  onGenerates: (generates: boolean) => void;
  password: string;
  onPassword: (password: string) => void;
}>;

/** Asks for a password, unless one is to be generated. */
export function PasswordChoice({ generates, onGenerates, password, onPassword }: PasswordChoiceProps) {
  return (
    <>
      <Check label={t.account.generate} hint={t.account.generateHint} checked={generates} onChange={onGenerates} />
      {!generates && (
        <Field
          label={t.account.newPassword}
          type="password"
          value={password}
          onInput={onPassword}
          autocomplete="new-password"
          required
        />
      )}
    </>
  );
}

/** Shows a generated password until somebody has saved it. */
export function GeneratedPassword({
  username,
  password,
  onClose,
}: Readonly<{ username: string; password: string; onClose: () => Promise<unknown> | void }>) {
  const action = useAction();
  const [saved, setSaved] = useState(false);
  return (
    <Dialog title={t.account.passwordOf(username)} onClose={() => undefined}>
      <p>{t.account.passwordOnce}</p>
      <Secret label={t.account.newPassword} text={password} />
      <Form
        action={action}
        submit={t.common.close}
        idle={!saved}
        onSubmit={() => void action.run(async () => onClose())}
      >
        <Check label={t.account.passwordSaved} checked={saved} onChange={setSaved} />
      </Form>
    </Dialog>
  );
}
