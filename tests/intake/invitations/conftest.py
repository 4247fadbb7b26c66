from tests.surveys.staff import allow, draft, invited, survey, works_on

__all__ = ["allow", "draft", "invited", "survey", "works_on"]
