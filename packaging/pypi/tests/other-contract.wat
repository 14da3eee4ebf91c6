(component
  (import "myao:memory/log@0.3.0" (instance)))
