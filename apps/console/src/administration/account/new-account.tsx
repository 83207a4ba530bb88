import { useState } from 'preact/hooks';
import { get, post } from '../../api/client.js';
import { t } from '../../texts/texts.js';
import { Dialog } from '../../ui/dialog.js';
import { Field, Form } from '../../ui/form.js';
import { navigate } from '../../ui/router.js';
import { useAction } from '../../ui/use-action.js';
import { GeneratedPassword, PasswordChoice } from './password-choice.js';
import { newPassword } from './password.js';
import { PermissionChecks } from './permission-checks.js';

/** The role of every new account (wire contract 3.1). */
const GENERAL = 0;

/** Creates an account, shows its password if it was generated, and leads to its screen. */
export function NewAccount({ onClose }: Readonly<{ onClose: () => void }>) {
  const action = useAction();
  const [username, setUsername] = useState('');
  const [folder, setFolder] = useState('/');
  const [permission, setPermission] = useState(0);
  const [generates, setGenerates] = useState(true);
  const [typed, setTyped] = useState('');
  // A repetition of a failed request sends the same password.
  const [generated] = useState(newPassword);
  const [isCreated, setCreated] = useState(false);
  const open = async () => {
    const id = await idOf(username).catch(() => undefined);
    onClose();
    navigate(id === undefined ? `/accounts?sort=-id` : `/accounts/${id}`);
  };
  const create = async () => {
    const password = generates ? generated : typed;
    await post('/api/admin/user/create', {
      body: { username, password, base_path: folder, permission, role: GENERAL },
    });
    if (generates) setCreated(true);
    else await open();
  };
  if (isCreated) return <GeneratedPassword username={username} password={generated} onClose={open} />;
  return (
    <Dialog title={t.accounts.create} onClose={onClose}>
      <Form action={action} submit={t.accounts.create} cancel={onClose} onSubmit={() => void action.run(create)}>
        <Field label={t.profile.name} value={username} onInput={setUsername} required autofocus />
        <PasswordChoice generates={generates} onGenerates={setGenerates} password={typed} onPassword={setTyped} />
        <Field label={t.profile.folder} hint={t.account.folderHint} value={folder} onInput={setFolder} required />
        <PermissionChecks bits={permission} onChange={setPermission} />
      </Form>
    </Dialog>
  );
}

/** Returns the id of an account that was just created. */
async function idOf(username: string): Promise<number | undefined> {
  const { content } = await get('/api/admin/user/list', { query: { search: username, sort: '-id', per_page: 50 } });
  return content.find((account) => account.username === username)?.id;
}
