export * from "./address";
export * from "./documents";
export { BadMessage } from "./fields";
export * from "./film";
export * from "./packets";
export * from "./picture";
export * from "./rewards";
export * from "./scene";
