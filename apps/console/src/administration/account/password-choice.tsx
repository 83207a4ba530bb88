import { t } from '../../texts/texts.js';
import { Check, Field } from '../../ui/form.js';
import { ShownOnce } from '../../ui/secret.js';

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
          label={t.newPassword.first}
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

type GeneratedPasswordProps = Readonly<{
  username: string;
  password: string;
  onClose: () => Promise<unknown> | void;
}>;

export const GeneratedPassword = ({ username, password, onClose }: GeneratedPasswordProps) => (
  <ShownOnce
    title={t.account.passwordOf(username)}
    intro={t.account.passwordOnce}
    label={t.newPassword.first}
    text={password}
    onClose={onClose}
  />
);
