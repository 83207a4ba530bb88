import { useState } from 'preact/hooks';
import { get, post, refreshAccount } from '../../api/client.js';
import { current } from '../../api/session.js';
import { t } from '../../texts/texts.js';
import { Field, Form } from '../../ui/form.js';
import { Saved } from '../../ui/problem.js';
import { useAction } from '../../ui/use-action.js';
import { changesOf, collisionsOf, editedOf, type Account, type EditedField } from './changes.js';
import { PermissionChecks } from './permission-checks.js';

type EditProps = Readonly<{ account: Account; onChanged: () => void }>;

/** Changes name, folder, permissions and SSO id. Everything else stays as the service has it at this moment. */
export function Edit({ account, onChanged }: EditProps) {
  const action = useAction();
  const [loaded, setLoaded] = useState(account);
  const [edited, setEdited] = useState(() => editedOf(account));
  const [collisions, setCollisions] = useState<readonly EditedField[]>([]);
  const [isSaved, setSaved] = useState(false);
  const changes = changesOf(loaded, edited);
  const isChanged = Object.keys(changes).length > 0;
  const set = (change: Partial<typeof edited>) => {
    setEdited({ ...edited, ...change });
    setSaved(false);
  };
  const show = (present: Account, kept: Partial<typeof edited> = {}) => {
    setLoaded(present);
    setEdited({ ...editedOf(present), ...kept });
  };
  const save = async () => {
    const present = await readAccount(account.id);
    const found = collisionsOf(loaded, present, changes);
    setCollisions(found);
    if (found.length > 0) return show(present, changes);
    await replaceAccount({ ...present, ...changes });
    show(await readAccount(account.id));
    setSaved(true);
    onChanged();
  };
  const undo = (
    <button
      type="button"
      disabled={!isChanged}
      onClick={() => {
        show(loaded);
        setCollisions([]);
      }}
    >
      {t.account.undo}
    </button>
  );
  return (
    <Form action={action} submit={t.common.save} idle={!isChanged} more={undo} onSubmit={() => void action.run(save)}>
      <Field
        label={t.profile.name}
        hint={t.account.nameConsequence}
        value={edited.username}
        onInput={(username) => set({ username })}
        required
      />
      <Field
        label={t.profile.folder}
        hint={t.account.folderHint}
        value={edited.base_path}
        onInput={(folder) => set({ base_path: folder })}
        required
      />
      <Field
        label={t.account.ssoId}
        hint={t.account.ssoHint}
        value={edited.sso_id}
        onInput={(ssoId) => set({ sso_id: ssoId })}
      />
      <PermissionChecks bits={edited.permission} onChange={(permission) => set({ permission })} />
      {collisions.length > 0 && (
        <p class="notice bad" role="alert">
          {t.account.collision(collisions.map((field) => t.account.fields[field]).join(', '))}
        </p>
      )}
      {isSaved && <Saved />}
    </Form>
  );
}

export const readAccount = (id: number, signal?: AbortSignal): Promise<Account> =>
  get('/api/admin/user/get', { query: { id }, signal });

/** The service replaces the whole account, so `account` is one that it just returned. */
export async function replaceAccount(account: Account, more?: Readonly<{ revoke_secrets: boolean }>): Promise<void> {
  await post('/api/admin/user/update', { body: { ...account, ...more } });
  if (account.id !== current.value!.id) return;
  // After a change of the own name, the administrator signs in again under the new one.
  current.value = { ...current.value!, username: account.username };
  await refreshAccount();
}
