export * from './broker-connection.js';
