import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { t } from '../texts/texts.js';
import type { Action } from './use-action.js';
import { Problem } from './problem.js';

type FieldProps = Readonly<{
  label: string;
  value: string;
  onInput: (value: string) => void;
  hint?: string;
  /** Why the value cannot be sent. */
  problem?: string | undefined;
  /** The field has several lines. */
  rows?: number;
  type?: 'text' | 'password' | 'search' | 'number' | 'date';
  autocomplete?: 'username' | 'current-password' | 'new-password' | 'one-time-code';
  required?: boolean;
  readOnly?: boolean;
  /** The field gets the focus when it appears. */
  autofocus?: boolean;
}>;

/** A labelled text field. */
export function Field({ label, onInput, hint, problem, rows, type = 'text', autocomplete, ...rest }: FieldProps) {
  const id = useId();
  const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  // Browsers heed the attribute only in a page or dialog that has just opened.
  useEffect(() => {
    if (rest.autofocus) input.current?.focus();
  }, []);
  const common = {
    ...rest,
    id,
    ref: input,
    // Password managers look for names.
    name: autocomplete,
    // Names, codes and keys are no words.
    autocapitalize: 'none' as const,
    spellcheck: false,
    'aria-invalid': problem !== undefined,
    'aria-describedby': hint ? `${id}-hint` : undefined,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) => onInput(currentTarget.value),
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {rows ? (
        <textarea rows={rows} {...common} />
      ) : (
        <input type={type as 'text'} autocomplete={autocomplete ?? 'off'} {...common} />
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

type CodeFieldProps = Pick<FieldProps, 'value' | 'onInput' | 'hint' | 'autofocus'>;

/** Asks for a one-time code, or for a recovery code where the hint says so. */
export const CodeField = ({ hint = t.signIn.codeHint, ...rest }: CodeFieldProps) => (
  <Field label={t.signIn.code} hint={hint} autocomplete="one-time-code" required {...rest} />
);

type ChoiceProps = Readonly<{
  label: string;
  value: string;
  onChange: (value: string) => void;
  choices: readonly (readonly [value: string, text: string])[];
  hint?: string;
}>;

export function Choice({ label, value, onChange, choices, hint }: ChoiceProps) {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {choices.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

type CheckProps = Readonly<{ label: string; checked: boolean; onChange: (checked: boolean) => void; hint?: string }>;

export function Check({ label, checked, onChange, hint }: CheckProps) {
  const id = useId();
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

export const CancelButton = ({ onClick }: Readonly<{ onClick: () => void }>) => (
  <button type="button" onClick={onClick}>
    {t.common.cancel}
  </button>
);

type FormProps = Readonly<{
  action: Action;
  onSubmit: () => void;
  submit: string;
  /** The submit button cannot be pressed, for example because nothing was changed. */
  idle?: boolean;
  danger?: boolean;
  /** Adds a button that leaves the form. */
  cancel?: () => void;
  /** Further buttons beside the submit button. */
  more?: ComponentChildren;
  children: ComponentChildren;
}>;

/** A form with its problem and its submit button. Submitting waits for the present action to end. */
export function Form({ action, onSubmit, submit, idle, danger, cancel, more, children }: FormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (!action.busy && !idle) onSubmit();
      }}
    >
      {children}
      <Problem error={action.error} />
      <div class="buttons">
        <button type="submit" class={danger ? 'danger' : 'primary'} aria-busy={action.busy} disabled={idle}>
          {submit}
        </button>
        {/* Nobody leaves while a secret that is shown once is on its way. */}
        <fieldset disabled={action.busy}>
          {cancel && <CancelButton onClick={cancel} />}
          {more}
        </fieldset>
      </div>
    </form>
  );
}
