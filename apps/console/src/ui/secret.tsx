import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../texts/texts.js';
import { Dialog } from './dialog.js';
import { Check, Form } from './form.js';
import { useAction } from './use-action.js';

/** Shows a secret with a button that copies it. Without HTTPS, browsers offer no clipboard, and the person copies it by hand. */
export function Secret({ label, text, shown = text }: Readonly<{ label: string; text: string; shown?: string }>) {
  return (
    <div class="secret">
      <pre tabIndex={0} aria-label={label}>
        {shown}
      </pre>
      <Copy text={text} />
    </div>
  );
}

function Copy({ text }: Readonly<{ text: string }>) {
  const [copied, setCopied] = useState(false);
  if (!window.isSecureContext) return null;
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <button type="button" onClick={() => void copy()}>
      <span role="status">{copied ? t.common.copied : t.common.copy}</span>
    </button>
  );
}

type ShownOnceProps = Readonly<{
  title: string;
  /** What to do with the secret. */
  intro: string;
  text: string;
  /** The label of the secret, if it is not the title. */
  label?: string;
  /** The label of the check box. */
  saved?: string;
  more?: ComponentChildren;
  onClose: () => Promise<unknown> | void;
}>;

/** Shows a secret until the person has saved it: nobody can show it again. */
export function ShownOnce({ title, intro, text, label = title, saved, more, onClose }: ShownOnceProps) {
  const action = useAction();
  const [isSaved, setSaved] = useState(false);
  const close = () => void action.run(async () => onClose());
  return (
    <Dialog title={title} onClose={() => isSaved && close()}>
      <Form action={action} submit={t.common.close} idle={!isSaved} more={more} onSubmit={close}>
        <p>{intro}</p>
        <Secret label={label} text={text} />
        <Check label={saved ?? t.common.savedIt} checked={isSaved} onChange={setSaved} />
      </Form>
    </Dialog>
  );
}
