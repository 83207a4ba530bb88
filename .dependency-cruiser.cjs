/** Who may import whom: one rule a sentence, each with its reason. `npm run lint` and `npm test` run it. */
const source = { pathNot: '\\.(spec|contract)\\.ts$|^libs/[^/]+/(testing|golden)/' };
const from = (path, extra = {}) => ({ path, ...source, ...extra });
const lib = (name) => `^libs/${name}/src/`;
const only = (...allowed) => `^libs/(?!(${allowed.join('|')})/)`;

module.exports = {
  forbidden: [
    {
      name: 'no import goes in a circle',
      comment: 'In ESM a cycle of classes stops the built program although the tests pass.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'the domain imports nothing',
      comment: 'Deciders run without Nest, a store, a clock or a random number.',
      severity: 'error',
      from: from(lib('domain')),
      to: { pathNot: lib('domain') },
    },
    {
      name: 'aggregates know each other only through the account',
      comment: 'An aggregate is decided on alone; what a session shares with an account are the holds of its codes.',
      severity: 'error',
      from: from('^libs/domain/src/(account|ssh-key-ring|ssh-key-use|site-settings)/'),
      to: { path: '^libs/domain/src/', pathNot: '^libs/domain/src/($1|kernel)/' },
    },
    {
      name: 'concurrency and trace contexts import nothing',
      comment: 'They know no store, no broker and no framework, so that every library may use them.',
      severity: 'error',
      from: from('^libs/(concurrency|trace-context)/src/'),
      to: { pathNot: '^libs/(concurrency|trace-context)/src/|^node:|^timers/' },
    },
    {
      name: 'the event store knows only the shape of events',
      comment: 'It stores what happened for any aggregate.',
      severity: 'error',
      from: from(lib('event-store')),
      to: { path: only('concurrency', 'domain', 'event-store') },
    },
    {
      name: 'projections know the domain and the event store',
      comment: 'They fold commits with the functions of the deciders and nothing else.',
      severity: 'error',
      from: from(lib('projections')),
      to: { path: only('concurrency', 'domain', 'event-store', 'projections') },
    },
    {
      name: 'security knows no other library',
      comment: 'Hashing, tokens, codes and throttling serve any application; only its adapters know the stores.',
      severity: 'error',
      from: from(lib('security'), { pathNot: `${source.pathNot}|^libs/security/src/(sqlite|mongo)/` }),
      to: { path: only('security') },
    },
    {
      name: 'the wire layer knows only the domain',
      comment: 'It turns codes into words and bytes into fields.',
      severity: 'error',
      from: from(lib('http-envelope')),
      to: { path: only('domain', 'http-envelope') },
    },
    {
      name: 'messaging knows events and their feed',
      comment: 'It tells others what happened; commands that come in go through the application, which apps wire.',
      severity: 'error',
      from: from(lib('messaging')),
      to: { path: only('concurrency', 'domain', 'event-store', 'messaging', 'trace-context') },
    },
    {
      name: 'RabbitMQ is known in its adapter only',
      comment: 'Adapters carry the name of their technology.',
      severity: 'error',
      from: from('^(libs|apps)/', { pathNot: `${source.pathNot}|/rabbitmq/` }),
      to: { path: '^node_modules/amqplib/' },
    },
    {
      name: 'OpenTelemetry is known in its adapter only',
      comment: 'It is loaded when somebody wants traces, and costs nothing else.',
      severity: 'error',
      from: from('^(libs|apps)/', { pathNot: `${source.pathNot}|/open-telemetry/` }),
      to: { path: '^node_modules/@opentelemetry/' },
    },
    {
      name: 'the application knows ports, never adapters or the wire',
      comment: 'The same handlers serve the embedded store and the large one.',
      severity: 'error',
      from: from(lib('application')),
      to: { path: '^libs/http-envelope/|^libs/[^/]+/src/(sqlite|mongo|rabbitmq)/|^node:sqlite$' },
    },
    {
      name: 'SQLite is known in its adapters only',
      comment: 'Adapters carry the name of their technology.',
      severity: 'error',
      from: from('^(libs|apps)/', { pathNot: `${source.pathNot}|/sqlite/` }),
      to: { path: '^(node:)?sqlite$' },
    },
    {
      name: 'MongoDB is known in its adapters only',
      comment: 'Adapters carry the name of their technology; the operation library makes their connection.',
      severity: 'error',
      from: from('^(libs|apps)/', { pathNot: `${source.pathNot}|/mongo/|^libs/operation/src/stores/` }),
      to: { path: '^node_modules/(mongoose|mongodb|@nestjs/mongoose)/' },
    },
    {
      name: 'adapters are wired in the operation library',
      comment: 'Libraries meet each other through ports; adapters of one technology share its connection.',
      severity: 'error',
      from: from('^(libs|apps)/', { pathNot: `${source.pathNot}|/src/(sqlite|mongo|rabbitmq)/|^libs/operation/src/` }),
      to: { path: '^libs/[^/]+/src/(sqlite|mongo|rabbitmq)/' },
    },
    {
      name: 'the operation library is used by apps',
      comment: 'Settings, logs, health and the wiring of stores belong to processes.',
      severity: 'error',
      from: from('^libs/(?!operation/)'),
      to: { path: '^libs/operation/' },
    },
    {
      name: 'Nest stays at the edge',
      comment:
        'Plain classes and functions inside; the application uses the buses, the wire layer the exception filter, tokens the JWT service.',
      severity: 'error',
      from: from('^libs/(domain|event-store|projections)/|^libs/security/src/(?!token-signer|device-tokens)'),
      to: { path: '^node_modules/@nestjs/' },
    },
    {
      name: 'the application uses of Nest only the buses',
      comment: 'HTTP words and the container belong to the apps.',
      severity: 'error',
      from: from(lib('application')),
      to: { path: '^node_modules/(@nestjs|fastify)/(?!cqrs)' },
    },
    {
      name: 'libraries never import apps',
      comment: 'Apps wire libraries.',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    {
      name: 'no source imports what only tests need',
      comment: 'Contract suites and fixtures would be bundled, and import vitest.',
      severity: 'error',
      from: from('^(libs|apps)/'),
      to: { path: '^libs/[^/]+/testing/|\\.(spec|contract)\\.ts$|^node_modules/vitest/' },
    },
    {
      name: 'no app imports an app, except standalone',
      comment: 'Standalone is the gateway and the worker in one process.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: '^apps/standalone/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'libraries and apps are entered by their front door',
      comment: 'index.ts (or the module of an app) is the promise; everything else may move.',
      severity: 'error',
      from: from('^((libs|apps)/[^/]+)/'),
      to: {
        path: '^(libs|apps)/',
        pathNot:
          '^$1/|^libs/[^/]+/src/((sqlite|mongo|rabbitmq|public-events)/)?index\\.ts$|^apps/[^/]+/src/[^/]+\\.module\\.ts$',
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
};
