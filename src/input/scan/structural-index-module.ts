/** WebAssembly in base64, compiled from structural-index.wat by `npm run generated`. */
export const MODULE =
  'AGFzbQEAAAABBgFgAn9/AAMCAQAFAwEAAQcRAgZtZW1vcnkCAARtYXJrAAAKRQFDAgF/AXsDQCACQQN2IAL9AAAAIgMgAP0P/SMgA0Ei/Q/9I/1QIANBDv0P/Sb9UP1kOwGAgAIgAkEQaiICIAFJDQALCw=='
