"""Documents, token by token: one package for each shape of a document's own nodes, and one for new documents."""
