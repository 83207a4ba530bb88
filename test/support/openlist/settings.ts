import { Refusal, type Exchange, type Routes } from './exchange.js';
import type { Tokens } from './tokens.js';

type Setting = Readonly<{
  key: string;
  value: string;
  help: string;
  type: string;
  options: string;
  /** 0 are single settings, 1 those of the site. */
  group: number;
  /** 0 is public, 1 private. */
  flag: number;
  index: number;
}>;

/** Some settings of OpenList, by key, that its front end and its administrators read. */
const DEFAULTS: Readonly<Record<string, Pick<Setting, 'value' | 'type' | 'group' | 'flag' | 'index'>>> = {
  allow_indexed: { value: 'false', type: 'bool', group: 1, flag: 0, index: 4 },
  allow_mounted: { value: 'true', type: 'bool', group: 1, flag: 0, index: 5 },
  default_page_size: { value: '30', type: 'number', group: 1, flag: 0, index: 7 },
  main_color: { value: '#1890ff', type: 'string', group: 2, flag: 0, index: 10 },
  robots_txt: { value: 'User-agent: *\nAllow: /', type: 'text', group: 1, flag: 1, index: 11 },
  site_title: { value: 'OpenList', type: 'string', group: 1, flag: 0, index: 2 },
  version: { value: 'v4.2.5', type: 'string', group: 1, flag: 2, index: 0 },
};
const TOKEN = 'token';

/** The settings, with the static token among them. */
export class Settings {
  private readonly values = new Map<string, Setting>(
    Object.entries(DEFAULTS).map(([key, fields]) => [key, { key, help: '', options: '', ...fields }]),
  );

  constructor(private readonly tokens: Tokens) {}

  readonly routes: Routes = {
    'GET /api/public/settings': ['anyone', () => this.public()],
    'GET /api/admin/setting/get': ['admin', (exchange) => this.get(exchange)],
    'GET /api/admin/setting/list': ['admin', (exchange) => inGroups(this.all, exchange)],
    'POST /api/admin/setting/default': ['admin', (exchange) => inGroups(this.defaults(), exchange)],
    'POST /api/admin/setting/save': ['admin', (exchange) => this.save(exchange)],
    'POST /api/admin/setting/delete': ['admin', (exchange) => this.refuseToDelete(exchange.query('key'))],
    'POST /api/admin/setting/reset_token': ['admin', () => this.tokens.resetStaticToken()],
  };

  value(key: string): string | undefined {
    return this.find(key)?.value;
  }

  private get all(): readonly Setting[] {
    return [...this.values.values(), this.token];
  }

  private get token(): Setting {
    const value = this.tokens.staticToken;
    return { key: TOKEN, value, help: '', type: 'string', options: '', group: 0, flag: 1, index: 55 };
  }

  private find(key: string): Setting | undefined {
    return key === TOKEN ? this.token : this.values.get(key);
  }

  private public(): Readonly<Record<string, string>> {
    const shown = this.all.filter(({ flag }) => flag === 0 || flag === 2);
    return Object.fromEntries(shown.map(({ key, value }) => [key, value]));
  }

  private get(exchange: Exchange): unknown {
    const one = exchange.query('key');
    const found = (one || exchange.query('keys')).split(',').map((key) => {
      const setting = this.find(key);
      if (!setting) throw new Refusal(400, 'failed to get setting: record not found');
      return setting;
    });
    return one === '' ? found : found[0];
  }

  private async save(exchange: Exchange): Promise<void> {
    const items = (await exchange.jsonValue()) as readonly Setting[];
    for (const item of items) {
      if (item.key === TOKEN) this.tokens.staticToken = item.value;
      else this.values.set(item.key, { ...item });
    }
  }

  private refuseToDelete(key: string): never {
    if (!this.find(key)) throw new Refusal(500, 'failed to get settingItem: record not found');
    throw new Refusal(500, `setting [${key}] is not deprecated`);
  }

  private defaults(): readonly Setting[] {
    return Object.entries(DEFAULTS).map(([key, fields]) => ({ key, help: '', options: '', ...fields }));
  }
}

function inGroups(settings: readonly Setting[], exchange: Exchange): readonly Setting[] {
  const groups = (exchange.query('groups') || exchange.query('group')).split(',').filter(Boolean).map(Number);
  return groups.length === 0 ? settings : settings.filter(({ group }) => groups.includes(group));
}
