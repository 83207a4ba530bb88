/** The import rules, each with its reason. `npm run lint` and `npm test` check them. */
const source = { pathNot: '\\.(spec|contract)\\.ts$|^libs/[^/]+/(testing|golden)/' };
const from = (path, extra = {}) => ({ path, ...source, ...extra });
const lib = (name) => `^libs/${name}/src/`;
const only = (...allowed) => `^libs/(?!(${allowed.join('|')})/)`;

module.exports = {
  forbidden: [
    {
      name: 'no import cycles',
      comment: 'In ESM, a cycle of classes can crash the built program although the tests pass.',
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
      comment: 'Each aggregate is decided on independently; a session shares only the holds of codes with its account.',
      severity: 'error',
      from: from('^libs/domain/src/(account|ssh-key-ring|ssh-key-use|site-settings)/'),
      to: { path: '^libs/domain/src/', pathNot: '^libs/domain/src/($1|kernel)/' },
    },
    {
      name: 'concurrency imports nothing',
      comment: 'It knows no store, no broker and no framework, so that every library may use it.',
      severity: 'error',
      from: from(lib('concurrency')),
      to: { pathNot: `${lib('concurrency')}|^node:|^timers/` },
    },
    {
      name: 'reporting imports nothing',
      comment: 'Every library describes errors and counts values, whatever it works on.',
      severity: 'error',
      from: from(lib('reporting')),
      to: { pathNot: lib('reporting') },
    },
    {
      name: 'the event store knows only the shape of events',
      comment: 'It stores the events of any aggregate.',
      severity: 'error',
      from: from(lib('event-store')),
      to: { path: only('concurrency', 'domain', 'event-store', 'reporting') },
    },
    {
      name: 'projections know only the domain and the event store',
      comment: 'They only fold commits with the functions of the deciders.',
      severity: 'error',
      from: from(lib('projections')),
      to: { path: only('concurrency', 'domain', 'event-store', 'projections', 'reporting') },
    },
    {
      name: 'security knows only concurrency',
      comment: 'Hashing, tokens, codes and throttling suit any application; only the adapters know the stores.',
      severity: 'error',
      from: from(lib('security'), { pathNot: `${source.pathNot}|^libs/security/src/(sqlite|mongo)/` }),
      to: { path: only('concurrency', 'security') },
    },
    {
      name: 'the wire layer knows only the domain',
      comment: 'It turns error codes into texts and bytes into fields.',
      severity: 'error',
      from: from(lib('http-envelope')),
      to: { path: only('domain', 'http-envelope') },
    },
    {
      name: 'messaging knows only events and their feed',
      comment: 'It publishes events; incoming commands go through the application, which apps wire.',
      severity: 'error',
      from: from(lib('messaging')),
      to: { path: only('concurrency', 'domain', 'event-store', 'messaging', 'reporting') },
    },
    {
      name: 'the adapter of OpenList knows no HTTP server',
      comment: 'It mirrors accounts; the gateway forwards requests.',
      severity: 'error',
      from: from(lib('openlist')),
      to: { path: '^libs/http-envelope/|^node_modules/(@nestjs|fastify)/' },
    },
    {
      name: 'only its adapter knows RabbitMQ',
      comment: 'Adapters are named after their technology.',
      severity: 'error',
      from: from('^(libs|apps)/', { pathNot: `${source.pathNot}|/rabbitmq/` }),
      to: { path: '^node_modules/amqplib/' },
    },
    {
      name: 'only its adapter knows OpenTelemetry',
      comment: 'It is loaded only for tracing; other processes do not pay for it.',
      severity: 'error',
      from: from('^(libs|apps)/', { pathNot: `${source.pathNot}|/open-telemetry/` }),
      to: { path: '^node_modules/@opentelemetry/' },
    },
    {
      name: 'the application knows ports, not adapters or the wire',
      comment: 'The same handlers work with SQLite and MongoDB.',
      severity: 'error',
      from: from(lib('application')),
      to: { path: '^libs/http-envelope/|^libs/[^/]+/src/(sqlite|mongo|rabbitmq)/|^node:sqlite$' },
    },
    {
      name: 'only its adapters know SQLite',
      comment:
        'Adapters are named after their technology. `launch` locks the built code with it, and imports and exports have foreign databases.',
      severity: 'error',
      from: from('^(libs|apps)/', {
        pathNot: `${source.pathNot}|/sqlite/|^libs/(process/src/launch|operator/src/openlist)/`,
      }),
      to: { path: '^(node:)?sqlite$' },
    },
    {
      name: 'MongoDB is known in its adapters only',
      comment: 'Adapters carry the name of their technology.',
      severity: 'error',
      from: from('^(libs|apps)/', { pathNot: `${source.pathNot}|/mongo/` }),
      to: { path: '^node_modules/(mongoose|mongodb|@nestjs/mongoose)/' },
    },
    {
      name: 'adapters are imported by adapters only',
      comment: 'Libraries meet through ports. The folders of a technology in the wiring library connect its adapters.',
      severity: 'error',
      from: from('^(libs/(?!(wiring|operator)/)|apps/)', {
        pathNot: `${source.pathNot}|/src/(sqlite|mongo|rabbitmq)/`,
      }),
      to: { path: '^libs/[^/]+/src/(sqlite|mongo|rabbitmq)/' },
    },
    {
      name: 'wiring and operator load no adapters but their own',
      comment: 'They load a folder of theirs, and with it the driver of its technology, when a process needs it.',
      severity: 'error',
      from: from('^libs/(wiring|operator)/src/', { pathNot: `${source.pathNot}|/src/(sqlite|mongo|rabbitmq)/` }),
      to: { path: '^libs/[^/]+/src/(sqlite|mongo|rabbitmq)/', pathNot: '^libs/$1/' },
    },
    {
      name: 'process, wiring and operator are used by apps',
      comment: 'Settings, logs, health and the wiring of stores belong to processes.',
      severity: 'error',
      from: from('^libs/(?!(process|wiring|operator)/)'),
      to: { path: '^libs/(process|wiring|operator)/' },
    },
    {
      name: 'process knows no store and no adapter',
      comment: 'Every process needs settings, a log and health, whatever it works on.',
      severity: 'error',
      from: from(lib('process')),
      to: { path: '^libs/(projections|http-envelope|wiring|operator)/|^libs/[^/]+/src/(sqlite|mongo|rabbitmq)/' },
    },
    {
      name: 'wiring does not know the operator',
      comment: 'It provides stores and the broker to services and to the command line alike.',
      severity: 'error',
      from: from(lib('wiring')),
      to: { path: '^libs/(http-envelope|operator)/' },
    },
    {
      name: 'Nest stays at the edge',
      comment:
        'Inner code is plain classes and functions. Only the buses, the injection, the exception filter and the JWT service need Nest.',
      severity: 'error',
      from: from('^libs/(domain|event-store|projections)/|^libs/security/src/(?!tokens/(token-signer|device-tokens))'),
      to: { path: '^node_modules/@nestjs/' },
    },
    {
      name: 'the application uses the buses and the injection of Nest',
      comment: 'HTTP belongs to the apps. Of @nestjs/common, oxlint lets it use only the decorators of injection.',
      severity: 'error',
      from: from(lib('application')),
      to: { path: '^node_modules/(@nestjs|fastify)/(?!cqrs/|common/)' },
    },
    {
      name: 'libraries never import apps',
      comment: 'Apps wire libraries, not the other way round.',
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
      name: 'no app except standalone imports an app',
      comment: 'Standalone runs the gateway and the worker in one process.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: '^apps/standalone/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'the console is a client of the API',
      comment: 'It runs in browsers, and can do only what any client can.',
      severity: 'error',
      from: from('^apps/console/src/'),
      to: { pathNot: '^apps/console/|^node_modules/(preact|@preact)/' },
    },
    {
      name: 'the server of the gateway knows no route',
      comment:
        'Controllers build on the server, threads and document. Only the start files, of the process and of a thread, and the module connect them.',
      severity: 'error',
      from: from('^apps/gateway/src/(http|metrics|openapi|request|threads)/(?!serving-thread\\.worker)'),
      to: { path: '^apps/gateway/src/', pathNot: '^apps/gateway/src/(http|metrics|openapi|request|threads)/' },
    },
    {
      name: 'the OpenAPI document knows no other folder of the gateway',
      comment: 'It describes what route decorators declare.',
      severity: 'error',
      from: from('^apps/gateway/src/openapi/'),
      to: { path: '^apps/gateway/src/', pathNot: '^apps/gateway/src/openapi/' },
    },
    {
      name: 'libraries and apps are imported through their front door',
      comment: 'index.ts (or the module of an app) is the public interface; everything else may move.',
      severity: 'error',
      from: from('^((libs|apps)/[^/]+)/'),
      to: {
        path: '^(libs|apps)/',
        pathNot:
          '^$1/|^libs/[^/]+/src/((sqlite|mongo|rabbitmq|public-events|launch|commands)/)?index\\.ts$|^apps/[^/]+/src/[^/]+\\.module\\.ts$',
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
