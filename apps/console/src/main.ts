import { start } from './shell/app.js';

await start(document.body);
