import { useState } from 'preact/hooks';
import { t } from '../texts/texts.js';
import { Field } from '../ui/form.js';

/** A new password that is typed twice. */
export type NewPassword = Readonly<{
  first: string;
  second: string;
  differs: boolean;
  setFirst: (text: string) => void;
  setSecond: (text: string) => void;
  /** Returns whether both are the same, and says so if they are not. */
  check: () => boolean;
  clear: () => void;
}>;

export function useNewPassword(): NewPassword {
  const [[first, second], setBoth] = useState<readonly [string, string]>(['', '']);
  const [differs, setDiffers] = useState(false);
  const set = (both: readonly [string, string]) => {
    setBoth(both);
    setDiffers(false);
  };
  return {
    first,
    second,
    differs,
    setFirst: (text) => set([text, second]),
    setSecond: (text) => set([first, text]),
    check: () => {
      setDiffers(first !== second);
      return first === second;
    },
    clear: () => set(['', '']),
  };
}

type FieldsProps = Readonly<{ username: string; value: NewPassword; autofocus?: boolean }>;

/** The fields of a new password. The user name is there for password managers. */
export function NewPasswordFields({ username, value, autofocus = false }: FieldsProps) {
  return (
    <>
      <Field label={t.signIn.username} value={username} onInput={() => undefined} autocomplete="username" readOnly />
      <Field
        label={t.newPassword.first}
        type="password"
        value={value.first}
        onInput={value.setFirst}
        autocomplete="new-password"
        autofocus={autofocus}
        required
      />
      <Field
        label={t.newPassword.second}
        type="password"
        value={value.second}
        onInput={value.setSecond}
        autocomplete="new-password"
        problem={value.differs ? t.newPassword.differs : undefined}
        required
      />
    </>
  );
}
