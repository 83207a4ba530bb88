import { useState } from 'preact/hooks';
import { get, post } from '../api/client.js';
import { t } from '../texts/texts.js';
import { Dialog } from '../ui/dialog.js';
import { Form } from '../ui/form.js';
import { Page, Ready } from '../ui/page.js';
import { Saved } from '../ui/problem.js';
import { shownTab, Tabs } from '../ui/tabs.js';
import { useAction } from '../ui/use-action.js';
import { useLoad } from '../ui/use-load.js';
import { DEPRECATED, isSecret, SettingField, titleOf, type Setting } from './setting-field.js';
import { StaticToken } from './static-token.js';

/** compat: the groups of the original, without the one of the static token. */
const GROUPS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] as const;
const TOKEN_TAB = 'token';

/** The settings of the site by group. A change is shown before it is saved. */
export default function Settings() {
  const loaded = useLoad((signal) => get('/api/admin/setting/list', { signal }));
  // Of all groups: another tab does not lose them.
  const [changes, setChanges] = useState<Changes>({});
  const groups = GROUPS.map((group) => [String(group), t.settings.groups[group]] as const);
  const tabs = [...groups, [TOKEN_TAB, t.settings.staticToken] as const];
  const shown = shownTab(tabs.map(([value]) => value));
  return (
    <Page title={t.settings.title} intro={t.settings.intro}>
      <Tabs label={t.settings.title} tabs={tabs} />
      {shown === TOKEN_TAB ? (
        <StaticToken />
      ) : (
        <Ready of={loaded}>
          {(settings) => {
            const group = settings.filter((each) => each.group === Number(shown) && each.flag !== DEPRECATED);
            return (
              <Group key={shown} settings={group} changes={changes} onChanges={setChanges} onSaved={loaded.reload} />
            );
          }}
        </Ready>
      )}
    </Page>
  );
}

type Changes = Readonly<Record<string, string>>;
type GroupProps = Readonly<{
  settings: readonly Setting[];
  changes: Changes;
  onChanges: (change: (before: Changes) => Changes) => void;
  onSaved: () => void;
}>;

function Group({ settings, changes, onChanges, onSaved }: GroupProps) {
  const [asking, setAsking] = useState(false);
  const [saved, setSaved] = useState(false);
  const action = useAction();
  const changed = settings.filter(({ key, value }) => changes[key] !== undefined && changes[key] !== value);
  const save = async () => {
    await post('/api/admin/setting/save', { body: changed.map(({ key }) => ({ key, value: changes[key]! })) });
    setAsking(false);
    setSaved(true);
    onSaved();
  };
  if (settings.length === 0) return <p class="empty">{t.settings.empty}</p>;
  return (
    <>
      <Form action={action} submit={t.settings.review} idle={changed.length === 0} onSubmit={() => setAsking(true)}>
        {settings.map((setting) => (
          <SettingField
            key={setting.key}
            setting={setting}
            value={changes[setting.key] ?? setting.value}
            onInput={(value) => {
              setSaved(false);
              onChanges((before) => ({ ...before, [setting.key]: value }));
            }}
          />
        ))}
      </Form>
      {saved && changed.length === 0 && <Saved />}
      {asking && <Review changed={changed} changes={changes} onSave={save} onClose={() => setAsking(false)} />}
    </>
  );
}

type ReviewProps = Readonly<{
  changed: readonly Setting[];
  changes: Changes;
  onSave: () => Promise<void>;
  onClose: () => void;
}>;

/** Shows the difference that saving makes. */
function Review({ changed, changes, onSave, onClose }: ReviewProps) {
  const action = useAction();
  return (
    <Dialog title={t.settings.reviewTitle(changed.length)} onClose={onClose}>
      <Form action={action} submit={t.common.save} cancel={onClose} onSubmit={() => void action.run(onSave)}>
        <dl class="changes">
          {changed.map(({ key, value }) => (
            <div key={key}>
              <dt>{titleOf(key)}</dt>
              <dd>
                <del>{shownValue(key, value)}</del> <ins>{shownValue(key, changes[key]!)}</ins>
              </dd>
            </div>
          ))}
        </dl>
      </Form>
    </Dialog>
  );
}

function shownValue(key: string, value: string): string {
  if (value === '') return t.settings.nothing;
  return isSecret(key) ? '••••••' : value;
}
