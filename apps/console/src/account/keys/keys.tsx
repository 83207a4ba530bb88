import { useState } from 'preact/hooks';
import { get, post } from '../../api/client.js';
import { dayOf, endOfDay } from '../../formats/day.js';
import { t } from '../../texts/texts.js';
import { Confirm, Dialog } from '../../ui/dialog.js';
import { Field, Form } from '../../ui/form.js';
import { Page, Ready } from '../../ui/page.js';
import { Table } from '../../ui/table.js';
import { useAction } from '../../ui/use-action.js';
import { useLoad } from '../../ui/use-load.js';
import { AddKey } from './add-key.js';
import { keyColumns, type SshKey } from './key-columns.js';

type Asked = Readonly<{ for: 'addition' } | { for: 'change' | 'removal'; key: SshKey }>;

/** The SSH keys of the signed-in account. */
export default function Keys() {
  const keys = useLoad((signal) => get('/api/me/sshkey/list', { signal }));
  const [asked, setAsked] = useState<Asked | undefined>();
  const [added, setAdded] = useState('');
  const close = () => setAsked(undefined);
  const add = (
    <button type="button" class="primary" onClick={() => setAsked({ for: 'addition' })}>
      {t.keys.add}
    </button>
  );
  const onAdded = (title: string) => {
    setAdded(title);
    keys.reload();
    close();
  };
  const remove = async ({ id }: SshKey) => {
    await post('/api/me/sshkey/delete', { query: { id } });
    keys.reload();
  };
  return (
    <Page title={t.keys.title} intro={t.keys.intro} actions={add}>
      {added && (
        <div class="notice good" role="status">
          {t.keys.added(added)}
        </div>
      )}
      <Ready of={keys}>
        {({ content }) => (
          <Table
            caption={t.keys.title}
            columns={columns(setAsked)}
            rows={content}
            keyOf={({ id }) => id}
            empty={<Empty />}
          />
        )}
      </Ready>
      {asked?.for === 'addition' && <AddKey onAdded={onAdded} onClose={close} />}
      {asked?.for === 'change' && <ChangeKey sshKey={asked.key} onChanged={keys.reload} onClose={close} />}
      {asked?.for === 'removal' && (
        <Confirm
          title={t.keys.removeTitle(asked.key.title)}
          submit={t.keys.remove}
          onConfirm={() => remove(asked.key)}
          onClose={close}
        >
          <p>{t.keys.removeConsequence}</p>
          <code>{asked.key.fingerprint}</code>
        </Confirm>
      )}
    </Page>
  );
}

const Empty = () => (
  <>
    {t.keys.empty} <code>ssh-keygen -t ed25519</code>
  </>
);

const columns = (ask: (asked: Asked) => void) =>
  keyColumns((key) => (
    <>
      <button type="button" aria-label={t.keys.changeTitle(key.title)} onClick={() => ask({ for: 'change', key })}>
        {t.keys.change}
      </button>
      <button
        type="button"
        class="danger"
        aria-label={t.keys.removeTitle(key.title)}
        onClick={() => ask({ for: 'removal', key })}
      >
        {t.keys.remove}
      </button>
    </>
  ));

type ChangeKeyProps = Readonly<{ sshKey: SshKey; onChanged: () => void; onClose: () => void }>;

/** Renames a key or changes its expiry. Only what was changed is sent. */
function ChangeKey({ sshKey: { id, title, expires_time }, onChanged, onClose }: ChangeKeyProps) {
  const action = useAction();
  const [newTitle, setNewTitle] = useState(title);
  const day = expires_time === null ? '' : dayOf(expires_time);
  const [newDay, setNewDay] = useState(day);
  const change = {
    ...(newTitle !== title && { title: newTitle }),
    ...(newDay !== day && { expires: endOfDay(newDay) ?? null }),
  };
  const save = async () => {
    await post('/api/me/sshkey/update', { body: { id, ...change } });
    onChanged();
  };
  return (
    <Dialog title={t.keys.changeTitle(title)} onClose={onClose}>
      <Form
        action={action}
        submit={t.common.save}
        idle={Object.keys(change).length === 0 || !newTitle}
        cancel={onClose}
        onSubmit={() => void action.run(save).then((done) => done && onClose())}
      >
        <Field label={t.keys.name} value={newTitle} onInput={setNewTitle} required />
        <Field label={t.keys.expires} hint={t.keys.expiresHint} type="date" value={newDay} onInput={setNewDay} />
      </Form>
    </Dialog>
  );
}
