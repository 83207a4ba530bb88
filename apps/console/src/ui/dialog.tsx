import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../texts/texts.js';
import { Field, Form } from './form.js';
import { useAction } from './use-action.js';

type DialogProps = Readonly<{ title: string; onClose: () => void; children: ComponentChildren }>;

/** A modal dialog. The browser keeps the focus within it, and closing it returns the focus. "Escape" asks to close it: the caller decides. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Not later: a dialog that replaces another one opens after that has returned the focus.
  useLayoutEffect(() => {
    const shown = dialog.current!;
    const opener = document.activeElement;
    shown.showModal();
    return () => {
      shown.close();
      // The dialog is already out of the page, so the browser does not return the focus. What opened it may be gone as well.
      const isThere = opener instanceof HTMLElement && opener !== document.body && opener.isConnected;
      (isThere ? opener : document.querySelector('h1'))?.focus();
    };
  }, []);
  // Browsers close a dialog at the second "Escape", whatever the page does.
  const reopen = () => {
    if (dialog.current?.isConnected && !dialog.current.open) dialog.current.showModal();
  };
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        if (!dialog.current?.querySelector('[aria-busy="true"]')) onClose();
      }}
      onClose={reopen}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  );
}

type ConfirmProps = Readonly<{
  title: string;
  /** The consequence. */
  children: ComponentChildren;
  submit: string;
  /** A word that has to be typed first. */
  typed?: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}>;

/** Asks before a change that cannot be undone. Closes itself when the change succeeded. */
export function Confirm({ title, children, submit, typed, onConfirm, onClose }: ConfirmProps) {
  const action = useAction();
  const [word, setWord] = useState('');
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        action={action}
        submit={submit}
        danger
        idle={typed !== undefined && word !== typed}
        cancel={onClose}
        onSubmit={() => void action.run(onConfirm).then((done) => done && onClose())}
      >
        <div>{children}</div>
        {typed !== undefined && <Field label={t.common.typeToConfirm(typed)} value={word} onInput={setWord} required />}
      </Form>
    </Dialog>
  );
}
