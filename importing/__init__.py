import os

# Against entities: where lxml is installed (SAML needs it), openpyxl would parse with it, and lxml expands them.
os.environ["OPENPYXL_LXML"] = "False"
