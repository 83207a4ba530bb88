import { SECRET_SETTINGS, type components } from '../api/openapi.js';
import { t } from '../texts/texts.js';
import { Check, Choice, Field } from '../ui/form.js';

export type Setting = components['schemas']['SettingResponse'];

/** compat: the flags of the original. */
const READ_ONLY = 2;
export const DEPRECATED = 3;

/** The original gives a setting no title, only a key. */
export const titleOf = (key: string): string => {
  const words = key.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** A secret is not for the eyes of those who look over a shoulder. */
export const isSecret = (key: string): boolean => SECRET_SETTINGS.includes(key);

type SettingFieldProps = Readonly<{ setting: Setting; value: string; onInput: (value: string) => void }>;

/** The field that fits the type of a setting. */
export function SettingField({ setting, value, onInput }: SettingFieldProps) {
  const { key, type, help, options, flag } = setting;
  const label = titleOf(key);
  const hint = flag === READ_ONLY ? t.settings.readOnly : help;
  const readOnly = flag === READ_ONLY;
  if (type === 'bool' && !readOnly) {
    const onChange = (checked: boolean) => onInput(String(checked));
    return <Check label={label} hint={hint} checked={value === 'true'} onChange={onChange} />;
  }
  if (type === 'select' && !readOnly) {
    const choices = options.split(',').map((each) => [each, each] as const);
    return <Choice label={label} hint={hint} value={value} choices={choices} onChange={onInput} />;
  }
  const common = { label, hint, value, onInput, readOnly };
  if (type === 'text' && !isSecret(key)) return <Field {...common} rows={4} />;
  return <Field {...common} {...(isSecret(key) && { type: 'password', autocomplete: 'new-password' })} />;
}
