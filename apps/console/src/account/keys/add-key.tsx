import { useId, useState } from 'preact/hooks';
import { post } from '../../api/client.js';
import { endOfDay } from '../../formats/day.js';
import { t } from '../../texts/texts.js';
import { Dialog } from '../../ui/dialog.js';
import { Field, Form } from '../../ui/form.js';
import { useAction } from '../../ui/use-action.js';
import { useLoad } from '../../ui/use-load.js';
import { fingerprintOf, isPrivateKey, LARGEST_FILE, parsePublicKey } from './public-key.js';

type AddKeyProps = Readonly<{ onAdded: (title: string) => void; onClose: () => void }>;

/** Takes a public key as text or file, and shows its fingerprint before it is sent. Nothing else is sent, and a private key is not kept. */
export function AddKey({ onAdded, onClose }: AddKeyProps) {
  const action = useAction();
  const id = useId();
  const [text, setText] = useState('');
  // An object, so that the page forgets a private key again when it is pasted a second time.
  const [refused, setRefused] = useState<Readonly<{ why: string }> | undefined>();
  const [ownTitle, setOwnTitle] = useState<string | undefined>();
  const [day, setDay] = useState('');
  const key = parsePublicKey(text);
  const title = ownTitle ?? key?.comment ?? '';

  const take = (given: string) => {
    if (isPrivateKey(given)) {
      setText('');
      setRefused({ why: t.keys.private });
      return;
    }
    setText(given);
    if (parsePublicKey(given)) setRefused(undefined);
  };
  const takeFile = async (file: File | undefined) => {
    if (!file) return;
    if (file.size > LARGEST_FILE) setRefused({ why: t.keys.tooLarge });
    else take(await file.text());
  };
  const add = () => post('/api/me/sshkey/add', { body: { title, key: text, expires: endOfDay(day) ?? null } });
  return (
    <Dialog title={t.keys.add} onClose={onClose}>
      <div
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          const file = event.dataTransfer?.files[0];
          if (!file) return;
          event.preventDefault();
          void takeFile(file);
        }}
      >
        <Form
          action={action}
          submit={t.keys.add}
          idle={!key || !title}
          cancel={onClose}
          onSubmit={() => void action.run(add).then((done) => done && onAdded(title))}
        >
          <Field label={t.keys.key} hint={t.keys.keyHint} rows={4} value={text} onInput={take} required />
          <div class="field">
            <label for={id}>{t.keys.file}</label>
            <input id={id} type="file" onChange={({ currentTarget }) => void takeFile(currentTarget.files?.[0])} />
          </div>
          <div class="recognised">
            {refused && (
              <div class="notice bad" role="alert">
                {refused.why}
              </div>
            )}
            <Recognised text={text} />
          </div>
          <Field label={t.keys.name} hint={t.keys.nameHint} value={title} onInput={setOwnTitle} required />
          <Field label={t.keys.expires} hint={t.keys.expiresHint} type="date" value={day} onInput={setDay} />
        </Form>
      </div>
    </Dialog>
  );
}

/** The fingerprint of what was entered. The person compares it with that of `ssh-keygen`. */
function Recognised({ text }: Readonly<{ text: string }>) {
  const { data } = useLoad(async () => {
    const key = parsePublicKey(text);
    return { text, key, fingerprint: key && (await fingerprintOf(key)) };
  }, [text]);
  const current = data?.text === text ? data : undefined;
  return (
    <div role="status">
      {current?.key && (
        <>
          <p class="hint">{t.keys.fingerprint}</p>
          {current.fingerprint ? <code>{current.fingerprint}</code> : <p>{t.keys.fingerprintLater}</p>}
        </>
      )}
      {current && !current.key && text.trim() && <p>{t.keys.unknown}</p>}
    </div>
  );
}
