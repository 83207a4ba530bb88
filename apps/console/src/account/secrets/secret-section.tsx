import type { ComponentChildren, FunctionComponent } from 'preact';
import { useState } from 'preact/hooks';
import { t } from '../../texts/texts.js';
import { Confirm } from '../../ui/dialog.js';
import { Ready, Section } from '../../ui/page.js';
import { Table } from '../../ui/table.js';
import { Expiry, Time } from '../../ui/time.js';
import { useLoad } from '../../ui/use-load.js';
import { CreateSecret, type CommonFields, type SecretTexts } from './create-secret.js';

/** What the lists of tokens and of app passwords have in common. */
type NamedSecret = Readonly<{
  id: number;
  name: string;
  created: string;
  expires: string | null;
  last_used: string | null;
  expired: boolean;
}>;
export type DetailsProps<Details> = Readonly<{ value: Details; onInput: (value: Details) => void }>;
type SecretSectionProps<Listed, Details> = Readonly<{
  texts: SecretTexts;
  read: (signal: AbortSignal) => Promise<readonly Listed[]>;
  /** Resolves to the new secret. */
  create: (details: Details, common: CommonFields) => Promise<string>;
  revoke: (id: number) => Promise<unknown>;
  details: Readonly<{
    cell: (secret: Listed) => ComponentChildren;
    start: Details;
    Fields: FunctionComponent<DetailsProps<Details>>;
  }>;
  isComplete: (details: Details) => boolean;
}>;

/** The secrets of one kind, to create and to revoke. */
export function SecretSection<Listed extends NamedSecret, Details>(props: SecretSectionProps<Listed, Details>) {
  const { texts, read, create, revoke, details, isComplete } = props;
  const secrets = useLoad(read);
  const [asked, setAsked] = useState<Listed | 'new' | undefined>();
  const close = () => setAsked(undefined);
  const revokeAsked = async ({ id }: Listed) => {
    await revoke(id);
    secrets.reload();
  };
  return (
    <Section title={texts.title}>
      <p class="intro">{texts.intro}</p>
      <p>
        <button type="button" onClick={() => setAsked('new')}>
          {texts.create}
        </button>
      </p>
      <Ready of={secrets}>
        {(rows) => (
          <Table
            caption={texts.title}
            columns={columns<Listed>(texts.details, details.cell, setAsked)}
            rows={rows}
            keyOf={({ id }) => id}
            empty={texts.empty}
          />
        )}
      </Ready>
      {asked === 'new' && (
        <CreateSecret {...{ texts, create, details, isComplete }} onCreated={secrets.reload} onClose={close} />
      )}
      {asked && asked !== 'new' && (
        <Confirm
          title={t.secrets.revokeTitle(asked.name)}
          submit={t.secrets.revoke}
          onConfirm={() => revokeAsked(asked)}
          onClose={close}
        >
          <p>{texts.revokeConsequence}</p>
        </Confirm>
      )}
    </Section>
  );
}

const columns = <Listed extends NamedSecret>(
  title: string,
  cell: (secret: Listed) => ComponentChildren,
  ask: (secret: Listed) => void,
) => [
  { title: t.secrets.name, cell: ({ name }: Listed) => name },
  { title, cell },
  { title: t.secrets.created, cell: ({ created }: Listed) => <Time at={created} /> },
  { title: t.secrets.lastUsed, cell: ({ last_used: at }: Listed) => <Time at={at} /> },
  { title: t.secrets.expires, cell: ({ expires, expired }: Listed) => <Expiry at={expires} isOver={expired} /> },
  {
    title: '',
    cell: (secret: Listed) => (
      <div class="buttons">
        <button
          type="button"
          class="danger"
          aria-label={t.secrets.revokeTitle(secret.name)}
          onClick={() => ask(secret)}
        >
          {t.secrets.revoke}
        </button>
      </div>
    ),
  },
];
